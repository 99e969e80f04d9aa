//! Taxonomies for sets that have none of their own: SUN and CUB-200, which the documents use, could not be had. All
//! follow the meaning of the classes, not the mistakes of a classifier.

use rebelboost::Result;
use rebelboost::data::CostMatrix;

/// A set with its groups: a path of groups from the root, and the classes in it.
pub struct Taxonomy {
    /// Name of the set.
    pub set: &'static str,
    /// In words.
    pub meaning: &'static str,
    groups: &'static [(&'static str, &'static [&'static str])],
}

/// The sets of table4.1.
pub const TAXONOMIES: &[Taxonomy] = &[
    Taxonomy {
        set: "vehicle",
        meaning: "cars (opel, saab), large (van, bus)",
        groups: &[("car", &["opel", "saab"]), ("large", &["van", "bus"])],
    },
    Taxonomy {
        set: "glass",
        meaning: "windows (building (1, 2), vehicle 3), other (container 5, tableware 6, headlamp 7)",
        groups: &[("window/building", &["1", "2"]), ("window", &["3"]), ("other", &["5", "6", "7"])],
    },
    Taxonomy {
        set: "segment",
        meaning: "nature (sky, plants (foliage, grass)), built (ground (cement, path), wall (brickface, window))",
        groups: &[
            ("nature", &["sky"]),
            ("nature/plants", &["foliage", "grass"]),
            ("built/ground", &["cement", "path"]),
            ("built/wall", &["brickface", "window"]),
        ],
    },
    Taxonomy {
        set: "vowel",
        meaning: "place of the tongue: front (heed, hid, head, had), central (hud, heard), back (hard, hod, hoard, hood, who'd)",
        groups: &[
            ("front", &["0", "1", "2", "3"]),
            ("central", &["4", "10"]),
            ("back/open", &["5", "6", "7"]),
            ("back/close", &["8", "9"]),
        ],
    },
    Taxonomy {
        set: "landsat",
        meaning: "plants (cotton 2, stubble 5), soil (red 1, grey (3, damp 4, very damp 7))",
        groups: &[("plants", &["2", "5"]), ("soil", &["1"]), ("soil/grey", &["3", "4", "7"])],
    },
    Taxonomy {
        set: "pendigits",
        meaning: "shape: closed loop (0, 6, 8, 9), open bends (2, 3, 5), straight strokes (1, 4, 7)",
        groups: &[("loop", &["0", "6", "8", "9"]), ("bend", &["2", "3", "5"]), ("stroke", &["1", "4", "7"])],
    },
    Taxonomy {
        set: "isolet",
        meaning: "vowel of the letter's name: ee (B C D E G P T V Z), ay (A H J K), eh (F L M N S X), eye (I Y), oo (Q U W), O, R",
        groups: &[
            ("ee", &["B", "C", "D", "E", "G", "P", "T", "V", "Z"]),
            ("ay", &["A", "H", "J", "K"]),
            ("eh", &["F", "L", "M", "N", "S", "X"]),
            ("eye", &["I", "Y"]),
            ("oo", &["Q", "U", "W"]),
            ("oh", &["O"]),
            ("ar", &["R"]),
        ],
    },
];

impl Taxonomy {
    /// Distances in the tree, scaled to a mean mistake of one.
    pub fn costs(&self, class_names: &[String]) -> Result<CostMatrix> {
        let mut pairs = std::collections::BTreeMap::new();
        for (path, classes) in self.groups {
            let mut parent = "root".to_string();
            for group in path.split('/') {
                pairs.insert(format!("group {group}"), parent);
                parent = format!("group {group}");
            }
            pairs.extend(classes.iter().map(|class| (class.to_string(), parent.clone())));
        }
        CostMatrix::from_taxonomy(&pairs.into_iter().collect::<Vec<_>>(), class_names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_follow_the_tree() {
        let names = ["1", "2", "3", "4", "5", "7"].map(String::from);
        let landsat = TAXONOMIES.iter().find(|t| t.set == "landsat").unwrap();
        let costs = landsat.costs(&names).unwrap();
        let ratio = |a: usize, b: usize| costs.get(a, b) / costs.get(2, 3);
        assert_eq!([ratio(2, 5), ratio(0, 2), ratio(1, 4), ratio(0, 1)], [1.0, 1.5, 1.0, 2.0]);
        assert_eq!(ratio(1, 2), 2.5);
        assert!((costs.mean() - 1.0).abs() < 1e-12);
    }
}
