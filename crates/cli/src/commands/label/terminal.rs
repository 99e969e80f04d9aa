//! The loop: a question, an answer, to disk, the next question.

use super::Options;
use super::answer::{Answer, is_whole};
use super::input::Input;
use super::screen::{self, Screen};
use super::session::{Found, Place, Session};
use crate::output::{Output, plural};
use crate::progress::waiting;
use rebelboost::Result;
use rebelboost::active::{Hint, Query};
use serde_json::{Map, Value, json};

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let place = Place::of(options);
    let mut notes = Vec::new();
    let found = Found::read(options, &place, &mut notes)?;
    let mut session = Session::begin(options, &found, &place, &mut notes)?;
    let hidden = [Some(found.pool.schema().target.as_str()), options.train.weights.as_deref()];
    let screen = Screen::new(&found.table, &options.show, &hidden.into_iter().flatten().collect::<Vec<_>>())?;
    output.notes(&notes);
    let known: usize = session.learner.counts().iter().sum();
    output.say(format!(
        "{} {}: {}, {known} labelled. Labels go to {}.",
        if session.resumed { "Going on with" } else { "Read" },
        crate::data::name(&options.train.data),
        plural(found.pool.len(), "row"),
        place.labels.display()
    ));
    let answered = ask_all(&mut session, &screen, output)?;
    finish(&session, answered, &notes, options, output);
    Ok(())
}

/// Asks until there is nothing left or the person quits. Returns the number of rows labelled.
fn ask_all(session: &mut Session<'_>, screen: &Screen<'_>, output: &Output) -> Result<usize> {
    let mut input = Input::new();
    let before = session.learner.counts().iter().sum::<usize>();
    let mut hinted = Hint::Early;
    while let Some(query) = next(session, output)? {
        // The question is part of the session: whoever goes on later is asked the same.
        session.save()?;
        let hint = session.learner.hint();
        if let (Some(words), true) = (hint.words(), std::mem::discriminant(&hint) != std::mem::discriminant(&hinted))
        {
            output.say(format!("\nHint: {words}."));
        }
        hinted = hint;
        let row = session.found.pool.origin(query.row);
        output.ask(&screen.question(&query, row, &session.learner, output));
        if !answer(session, &query, &mut input, output)? {
            break;
        }
        session.save()?;
    }
    Ok(session.learner.counts().iter().sum::<usize>().saturating_sub(before))
}

fn next(session: &mut Session<'_>, output: &Output) -> Result<Option<Query>> {
    let bar = session.learner.state().pending.is_empty().then(|| waiting(output, "Choosing the next rows"));
    let query = session.learner.query();
    if let Some(bar) = bar.flatten() {
        bar.finish_and_clear();
    }
    query
}

/// Gets one answer. False to quit.
fn answer(session: &mut Session<'_>, query: &Query, input: &mut Input, output: &Output) -> Result<bool> {
    loop {
        let classes = session.learner.classes().to_vec();
        let Some(line) = input.read(|key| is_whole(key, &classes), output)? else {
            output.ask("\n");
            return Ok(false);
        };
        match Answer::of(&line, &classes) {
            Answer::Class(class) => session.learner.teach(query.row, &class)?,
            Answer::New(class, near) => {
                let Some(class) = confirmed(&class, near, input, output)? else {
                    output.ask("> ");
                    continue;
                };
                // Costs may not know the class; that is no reason to end.
                if let Err(error) = session.learner.teach(query.row, &class) {
                    output.ask(&format!("  {error}.\n> "));
                    continue;
                }
            }
            Answer::Skip => session.learner.skip(query.row)?,
            Answer::Undo => {
                if session.learner.undo()?.is_none() {
                    output.ask("  There is nothing to take back.\n> ");
                    continue;
                }
            }
            Answer::Quit => return Ok(false),
            Answer::Help => {
                output.ask(&format!("{}> ", screen::HELP));
                continue;
            }
            Answer::Unclear(why) => {
                output.ask(&format!("  Not understood: {why}.\n> "));
                continue;
            }
        }
        return Ok(true);
    }
}

/// The name of a new class, if it is meant; or the known class that was meant.
fn confirmed(class: &str, near: Option<String>, input: &mut Input, output: &Output) -> Result<Option<String>> {
    let other = near.as_ref().map_or(String::new(), |near| format!(", m = I meant '{near}'"));
    output.ask(&format!("  '{class}' is a new class. Add it? (y = yes, n = no{other}) "));
    let reply = input.read(|key| "ynm".contains(key), output)?.unwrap_or_default();
    Ok(match reply.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(class.to_string()),
        "m" => near,
        _ => None,
    })
}

fn finish(session: &Session<'_>, answered: usize, notes: &[String], options: &Options, output: &Output) {
    let (learner, place) = (&session.learner, session.place);
    let counts: Vec<(&String, usize)> = learner.classes().iter().zip(learner.counts()).collect();
    let labelled: usize = counts.iter().map(|(_, count)| count).sum();
    if learner.open() == 0 {
        output.result(match learner.skipped() {
            0 => "\nEvery row has a class: there is nothing left to ask.".to_string(),
            n => format!("\nNothing is left to ask; {} skipped.", plural(n, "row")),
        });
    }
    let shares: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    output.result(format!(
        "\nLabelled {} now, {labelled} in all ({}).",
        plural(answered, "row"),
        crate::output::preview(&shares, 12)
    ));
    let hint = learner.hint().words();
    if let Some(words) = &hint {
        output.say(format!("Hint: {words}."));
    }
    if place.labels.exists() {
        let data = options.train.data.display();
        output.say(format!("Labels are in {}. Go on any time with the same command. Next:", place.labels.display()));
        output.say(format!("  rebel train {data} --labels {}", place.labels.display()));
    }
    let estimate = learner.estimate().map(|e| {
        json!({"error": e.error(), "error_interval_95": e.interval(), "random_rows": e.rows,
               "wrong": e.wrong, "disagreement": e.disagreement})
    });
    let classes: Map<String, Value> = counts.iter().map(|(name, count)| (name.to_string(), json!(count))).collect();
    output.object(&json!({
        "labels": place.labels.display().to_string(),
        "session": place.session.display().to_string(),
        "target": session.found.pool.schema().target,
        "rows": session.found.pool.len(),
        "labelled": labelled,
        "labelled_now": answered,
        "skipped": learner.skipped(),
        "left": learner.open(),
        "classes": classes,
        "estimate": estimate,
        "hint": hint,
        "notes": notes,
    }));
}
