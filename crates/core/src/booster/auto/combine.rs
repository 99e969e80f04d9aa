//! Several chains as one: a weighted sum of sums of terms is a sum of terms, so a stacked model is an ordinary one and
//! its explanations stay exact.

use crate::model::{Chain, Node, Part, Region, RegionTree, Term, WeakModel};

/// A chain without terms.
pub fn empty(classes: usize) -> Chain {
    Chain { bias: vec![0.0; classes], terms: Vec::new(), supports: Vec::new() }
}

/// Adds `scale` times another chain, whose trees may be most of the memory there is.
pub fn add(sum: &mut Chain, chain: Chain, scale: f64) {
    sum.bias.iter_mut().zip(&chain.bias).for_each(|(sum, h)| *sum += scale * h);
    let metrics = sum.supports.len() as u32;
    sum.terms.extend(chain.terms.into_iter().map(|mut term| {
        if let WeakModel::Similarity(similarity) = &mut term.learner {
            similarity.metric += metrics;
        }
        term.output.iter_mut().for_each(|a| *a *= scale);
        term
    }));
    sum.supports.extend(chain.supports);
}

/// Chains one after the other, each beginning with its bias as a term: nothing is lost, so that a checkpoint can give
/// them back.
pub fn pack(chains: &[(String, &Chain)], classes: usize) -> (Chain, Vec<Part>) {
    let mut packed = empty(classes);
    let mut parts = Vec::new();
    for (name, chain) in chains {
        let bias = Term { learner: WeakModel::Regions(everywhere()), output: chain.bias.clone() };
        packed.terms.push(bias);
        add(&mut packed, Chain { bias: vec![0.0; classes], ..(*chain).clone() }, 1.0);
        parts.push(Part {
            name: name.clone(),
            terms: chain.terms.len() + 1,
            weight: 0.0,
            factor: 0.0,
            log_loss: 0.0,
            error: 0.0,
        });
    }
    (packed, parts)
}

/// The chain of this name out of packed ones.
pub fn unpack(packed: &Chain, parts: &[Part], name: &str) -> Option<Chain> {
    let mut first = 0;
    for part in parts {
        let terms = packed.terms.get(first..first + part.terms)?;
        first += part.terms;
        let [bias, terms @ ..] = terms else { continue };
        // A file may claim anything.
        if part.name != name || bias.output.len() != packed.bias.len() {
            continue;
        }
        let metrics: Vec<u32> = terms.iter().filter_map(metric).collect();
        let lowest = metrics.iter().copied().min().unwrap_or(0);
        let end = metrics.iter().max().map_or(lowest, |most| most + 1);
        let mut terms = terms.to_vec();
        for term in &mut terms {
            if let WeakModel::Similarity(similarity) = &mut term.learner {
                similarity.metric -= lowest;
            }
        }
        let supports = packed.supports.get(lowest as usize..end as usize)?.to_vec();
        return Some(Chain { bias: bias.output.clone(), terms, supports });
    }
    None
}

fn metric(term: &Term) -> Option<u32> {
    match &term.learner {
        WeakModel::Similarity(similarity) => Some(similarity.metric),
        _ => None,
    }
}

/// A tree of one leaf.
fn everywhere() -> RegionTree {
    RegionTree { nodes: vec![Node::Leaf(Region { region: 0 })] }
}
