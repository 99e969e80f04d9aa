//! What a typed line means. The name of a class always wins; a command can be written with a colon, should a class
//! have its name.

use rebelboost::error::nearest;

/// An answer to the question for a row's class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A known class.
    Class(String),
    /// A class that is not known yet, and a known one that may have been meant.
    New(String, Option<String>),
    Skip,
    Undo,
    Quit,
    Help,
    /// Nothing that could be meant; why.
    Unclear(String),
}

/// Whether classes can be chosen by their number: names that begin with a digit would be ambiguous.
pub fn numbered(classes: &[String]) -> bool {
    classes.len() <= 9 && classes.iter().all(|name| !name.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether this first key is a whole answer, so that nobody has to press Enter.
pub fn is_whole(key: char, classes: &[String]) -> bool {
    match key.to_digit(10) {
        Some(digit) if numbered(classes) => (1..=classes.len()).contains(&(digit as usize)),
        Some(_) => classes.iter().all(|name| name.len() == 1) && classes.iter().any(|name| name.starts_with(key)),
        None => false,
    }
}

impl Answer {
    /// Reads a line.
    pub fn of(line: &str, classes: &[String]) -> Answer {
        let text = line.trim();
        if let Some(class) = classes.iter().find(|name| *name == text) {
            return Answer::Class(class.clone());
        }
        match text.strip_prefix(':').unwrap_or(text) {
            "" => return Answer::Unclear("? shows what can be typed".into()),
            "s" | "skip" => return Answer::Skip,
            "u" | "undo" => return Answer::Undo,
            "q" | "quit" => return Answer::Quit,
            "?" | "h" | "help" => return Answer::Help,
            command if text.starts_with(':') => return Answer::Unclear(format!("there is no command ':{command}'")),
            _ => {}
        }
        if let Ok(number) = text.parse::<usize>()
            && numbered(classes)
            && !classes.is_empty()
        {
            return match number.checked_sub(1).and_then(|i| classes.get(i)) {
                Some(class) => Answer::Class(class.clone()),
                None => Answer::Unclear(format!("there is no class number {number}")),
            };
        }
        let mut alike = classes.iter().filter(|name| name.to_lowercase() == text.to_lowercase());
        if let (Some(class), None) = (alike.next(), alike.next()) {
            return Answer::Class(class.clone());
        }
        let near = nearest(text, classes.iter().map(String::as_str)).map(String::from);
        Answer::New(text.to_string(), near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str, classes: &[&str]) -> Answer {
        Answer::of(line, &names(classes))
    }

    fn names(classes: &[&str]) -> Vec<String> {
        classes.iter().map(|c| c.to_string()).collect()
    }

    fn class(name: &str) -> Answer {
        Answer::Class(name.into())
    }

    #[test]
    fn names_numbers_and_commands() {
        let birds = ["duck", "gull"];
        assert_eq!(of(" gull \n", &birds), class("gull"));
        assert_eq!(of("1", &birds), class("duck"));
        assert_eq!(of("GULL", &birds), class("gull"));
        assert_eq!(of("3", &birds), Answer::Unclear("there is no class number 3".into()));
        assert_eq!(of("0", &birds), Answer::Unclear("there is no class number 0".into()));
        assert_eq!(
            [of("s", &birds), of(":undo", &birds), of("q", &birds)],
            [Answer::Skip, Answer::Undo, Answer::Quit]
        );
        assert_eq!(of("gul", &birds), Answer::New("gul".into(), Some("gull".into())));
        assert_eq!(of("vulture", &birds), Answer::New("vulture".into(), None));
        assert!(matches!(of("", &birds), Answer::Unclear(_)) && matches!(of(":x", &birds), Answer::Unclear(_)));
    }

    #[test]
    fn a_class_may_have_the_name_of_a_command_or_be_a_number() {
        assert_eq!(of("s", &["s", "t"]), class("s"));
        assert_eq!(of(":s", &["s", "t"]), Answer::Skip);
        assert_eq!(of("2", &["0", "1", "2"]), class("2"));
        assert!(matches!(of("3", &["0", "1", "2"]), Answer::New(name, _) if name == "3"));
        assert_eq!(of("7", &[]), Answer::New("7".into(), None));
        assert!(numbered(&names(&["a", "b"])) && !numbered(&names(&["a", "2b"])));
    }

    #[test]
    fn a_key_is_whole_only_if_nothing_else_can_begin_with_it() {
        assert!(is_whole('2', &names(&["duck", "gull"])) && !is_whole('3', &names(&["duck", "gull"])));
        assert!(!is_whole('d', &names(&["duck", "gull"])));
        assert!(is_whole('7', &names(&["1", "7"])) && !is_whole('1', &names(&["1", "12"])));
    }
}
