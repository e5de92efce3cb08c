//! Networks as lists of genes.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::function::Function;
use crate::settings::{SettingsError, within};

/// The most links a shape may have at the start: a guard against a slip of the
/// keyboard.
const MOST_LINKS: u64 = 1 << 26;

/// A network as a list of genes.
///
/// Ids of nodes: inputs 0 up to their number, then the outputs, then hidden ones. A
/// node that is bred later gets the next free id of the run.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NetGenome {
    /// Sorted by id. Inputs have one, too; of theirs only the id matters.
    pub nodes: Vec<Node>,
    /// Sorted by innovation number.
    pub links: Vec<Link>,
}

/// A node. It gives `function(bias + response · Σ weight · value)`. Written down as
/// a list of four, for networks have many.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "(u32, f64, f64, Function)", into = "(u32, f64, f64, Function)")]
pub struct Node {
    pub id: u32,
    /// Added to the sum.
    pub bias: f64,
    /// What the sum is multiplied with.
    pub response: f64,
    /// What becomes of both.
    pub function: Function,
}

/// A link from one node to another. Written down as a list of five.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    from = "(u32, u32, u32, f64, bool)",
    into = "(u32, u32, u32, f64, bool)"
)]
pub struct Link {
    /// Which structural change it came from: genes with the same number descend
    /// from the same change.
    pub innovation: u32,
    pub from: u32,
    pub to: u32,
    /// What the value is multiplied with on the way.
    pub weight: f64,
    /// Whether it is there in the network; one that is not can come back.
    pub enabled: bool,
}

/// What all networks of a run have in common, and how they begin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Shape {
    /// How many numbers go in. Where nodes have no biases, one of them is usually a
    /// constant 1.
    pub inputs: u32,
    pub outputs: u32,
    #[serde(default)]
    pub hidden: u32,
    #[serde(default)]
    pub connected: Connected,
    #[serde(default)]
    pub recurrent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Connected {
    /// Inputs to hidden nodes, hidden nodes to outputs; without hidden nodes, or if
    /// `direct`, inputs to outputs as well.
    Full {
        /// Whether inputs reach outputs past the hidden nodes.
        direct: bool,
    },
    /// The same, and a link from each node that is no input to itself. For recurrent
    /// networks; in others it is [`Full`](Self::Full). (neat-python.)
    FullWithLoops {
        /// As in [`Full`](Self::Full).
        direct: bool,
    },
    /// A share of those of [`Full`](Self::Full), drawn for each network.
    Partial {
        /// As in [`Full`](Self::Full).
        direct: bool,
        /// How many of them, from 0 to 1.
        share: f64,
    },
    /// One input, drawn for each network, to all outputs (and hidden nodes, if there
    /// are any, which lead nowhere yet).
    ///
    /// # Source
    ///
    /// Whiteson, Stone, Stanley, Miikkulainen and Kohl, "Automatic Feature Selection
    /// in Neuroevolution", GECCO 2005.
    ///
    /// # Where this differs
    ///
    /// The paper links one input to one output; this is what neat-python does.
    OneInput,
    None,
}

impl Default for Connected {
    fn default() -> Self {
        Self::Full { direct: true }
    }
}

/// By hand, so that a copy can be made in the memory of another network.
impl Clone for NetGenome {
    fn clone(&self) -> Self {
        Self {
            nodes: self.nodes.clone(),
            links: self.links.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.nodes.clone_from(&other.nodes);
        self.links.clone_from(&other.links);
    }
}

impl From<(u32, f64, f64, Function)> for Node {
    fn from((id, bias, response, function): (u32, f64, f64, Function)) -> Self {
        Self {
            id,
            bias,
            response,
            function,
        }
    }
}

impl From<Node> for (u32, f64, f64, Function) {
    fn from(node: Node) -> Self {
        (node.id, node.bias, node.response, node.function)
    }
}

impl From<(u32, u32, u32, f64, bool)> for Link {
    fn from((innovation, from, to, weight, enabled): (u32, u32, u32, f64, bool)) -> Self {
        Self {
            innovation,
            from,
            to,
            weight,
            enabled,
        }
    }
}

impl From<Link> for (u32, u32, u32, f64, bool) {
    fn from(link: Link) -> Self {
        (
            link.innovation,
            link.from,
            link.to,
            link.weight,
            link.enabled,
        )
    }
}

impl Shape {
    /// A shape without hidden nodes, all inputs linked to all outputs, feed-forward.
    pub fn new(inputs: u32, outputs: u32) -> Self {
        Self {
            inputs,
            outputs,
            hidden: 0,
            connected: Connected::default(),
            recurrent: false,
        }
    }

    pub fn first_hidden(&self) -> u32 {
        self.inputs.saturating_add(self.outputs)
    }

    /// Whether the numbers make sense.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Range`].
    pub fn check(&self) -> Result<(), SettingsError> {
        within("shape.inputs", &self.inputs, 1..=1 << 20)?;
        within("shape.outputs", &self.outputs, 1..=1 << 20)?;
        within("shape.hidden", &self.hidden, 0..=1 << 20)?;
        if let Connected::Partial { share, .. } = self.connected {
            within("shape.connected.partial.share", &share, 0.0..=1.0)?;
        }
        within("the links of `shape`", &self.numbers(), 1..=MOST_LINKS)
    }

    /// How many innovation numbers the links of the start may need, whatever
    /// [`Connected`] says; later ones begin here.
    fn numbers(&self) -> u64 {
        let [inputs, outputs, hidden] = [self.inputs, self.outputs, self.hidden].map(u64::from);
        inputs * hidden + hidden * outputs + inputs * outputs + outputs + hidden
    }

    /// The first innovation number that no link of the start has.
    pub fn first_innovation(&self) -> u32 {
        self.numbers().min(u64::from(u32::MAX)) as u32
    }

    /// The innovation number of a link as it is at the start, if it can be there
    /// then. It depends on the shape alone, so that all founders agree, also those
    /// of a second beginning.
    pub fn innovation(&self, from: u32, to: u32) -> Option<u32> {
        let [inputs, outputs, hidden] = [self.inputs, self.outputs, self.hidden].map(u64::from);
        let first = inputs + outputs;
        let (from, to) = (u64::from(from), u64::from(to));
        let is_output = |id: u64| (inputs..first).contains(&id);
        let is_hidden = |id: u64| (first..first + hidden).contains(&id);
        let to_output = inputs * hidden;
        let direct = to_output + hidden * outputs;
        let number = if from < inputs && is_hidden(to) {
            from * hidden + (to - first)
        } else if is_hidden(from) && is_output(to) {
            to_output + (from - first) * outputs + (to - inputs)
        } else if from < inputs && is_output(to) {
            direct + from * outputs + (to - inputs)
        } else if from == to && (is_output(to) || is_hidden(to)) {
            direct + inputs * outputs + (to - inputs)
        } else {
            return None;
        };
        u32::try_from(number).ok()
    }

    /// The pairs of nodes that are linked at the start, sorted by innovation number.
    pub(crate) fn pairs(&self, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
        match self.connected {
            Connected::Full { direct } => self.all_pairs(direct),
            Connected::FullWithLoops { direct } => {
                let mut pairs = self.all_pairs(direct);
                if self.recurrent {
                    let end = self.first_hidden().saturating_add(self.hidden);
                    pairs.extend((self.inputs..end).map(|node| (node, node)));
                }
                pairs
            }
            Connected::Partial { direct, share } => {
                let mut pairs = self.all_pairs(direct);
                let count = libm::round(pairs.len() as f64 * share) as usize;
                // The first so many of a shuffle, put back into order.
                for at in 0..count.min(pairs.len()) {
                    let other = rng.random_range(at..pairs.len());
                    pairs.swap(at, other);
                }
                pairs.truncate(count);
                pairs.sort_by_key(|&(from, to)| self.innovation(from, to));
                pairs
            }
            Connected::OneInput => {
                let from = rng.random_range(0..self.inputs.max(1));
                let outputs = self.inputs..self.first_hidden();
                let hidden = self.first_hidden()..self.first_hidden().saturating_add(self.hidden);
                hidden.chain(outputs).map(|to| (from, to)).collect()
            }
            Connected::None => Vec::new(),
        }
    }

    fn all_pairs(&self, direct: bool) -> Vec<(u32, u32)> {
        let (inputs, outputs) = (0..self.inputs, self.inputs..self.first_hidden());
        let hidden = self.first_hidden()..self.first_hidden().saturating_add(self.hidden);
        let mut pairs = Vec::new();
        for from in inputs.clone() {
            pairs.extend(hidden.clone().map(|to| (from, to)));
        }
        for from in hidden.clone() {
            pairs.extend(outputs.clone().map(|to| (from, to)));
        }
        if direct || hidden.is_empty() {
            for from in inputs {
                pairs.extend(outputs.clone().map(|to| (from, to)));
            }
        }
        pairs
    }
}

impl NetGenome {
    pub fn place(&self, id: u32) -> Option<usize> {
        // Inputs, outputs and often the hidden nodes lie at the place of their id.
        if self
            .nodes
            .get(id as usize)
            .is_some_and(|node| node.id == id)
        {
            return Some(id as usize);
        }
        self.nodes.binary_search_by_key(&id, |node| node.id).ok()
    }

    /// The link between two nodes, if there is one, enabled or not.
    pub fn link(&self, from: u32, to: u32) -> Option<&Link> {
        let same = |link: &&Link| link.from == from && link.to == to;
        self.links.iter().find(same)
    }

    pub fn hidden(&self, shape: &Shape) -> usize {
        self.nodes
            .len()
            .saturating_sub(shape.first_hidden() as usize)
    }

    pub fn enabled(&self) -> usize {
        self.links.iter().filter(|link| link.enabled).count()
    }

    /// Whether a link from one node to another would lead in a circle: all links
    /// count, also those that are not enabled, for they can come back.
    pub fn would_loop(&self, from: u32, to: u32) -> bool {
        if from == to {
            return true;
        }
        let (Some(start), Some(goal)) = (self.place(to), self.place(from)) else {
            return false;
        };
        let mut reached = vec![false; self.nodes.len()];
        reached[start] = true;
        loop {
            let mut grown = false;
            for link in &self.links {
                let (Some(one), Some(other)) = (self.place(link.from), self.place(link.to)) else {
                    continue;
                };
                if reached[one] && !reached[other] {
                    if other == goal {
                        return true;
                    }
                    reached[other] = true;
                    grown = true;
                }
            }
            if !grown {
                return false;
            }
        }
    }

    /// Whether the network is one of this shape: sorted, complete, with links
    /// between nodes that are there, finite, and without loops where there may be
    /// none.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Start`] says what is wrong.
    pub fn check(&self, shape: &Shape) -> Result<(), SettingsError> {
        self.fault(shape)
            .map_or(Ok(()), |reason| Err(SettingsError::Start { reason }))
    }

    fn fault(&self, shape: &Shape) -> Option<String> {
        let ids = self.nodes.iter().map(|node| node.id);
        let fixed = 0..shape.first_hidden();
        if !fixed.clone().eq(ids.clone().take(fixed.len())) {
            return Some(format!(
                "its first nodes must be the {} inputs and {} outputs, with ids from 0",
                shape.inputs, shape.outputs
            ));
        }
        if !ids.is_sorted_by(|one, other| one < other) {
            return Some("its nodes are not sorted by id".to_owned());
        }
        let numbers = self.links.iter().map(|link| link.innovation);
        if !numbers.is_sorted_by(|one, other| one < other) {
            return Some("its links are not sorted by innovation number".to_owned());
        }
        let odd = |node: &&Node| !(node.bias.is_finite() && node.response.is_finite());
        if let Some(node) = self.nodes.iter().find(odd) {
            return Some(format!("the numbers of node {} are not finite", node.id));
        }
        for link in &self.links {
            let name = format!("the link from {} to {}", link.from, link.to);
            if self.place(link.from).is_none() || self.place(link.to).is_none() {
                return Some(format!("{name} misses a node"));
            }
            if link.to < shape.inputs {
                return Some(format!("{name} leads to an input"));
            }
            if !link.weight.is_finite() {
                return Some(format!("the weight of {name} is not finite"));
            }
        }
        let looped = !shape.recurrent && self.has_loop();
        looped.then(|| "its links lead in a circle: allow it with `recurrent = true`".to_owned())
    }

    /// Whether the links, enabled or not, lead in a circle.
    pub fn has_loop(&self) -> bool {
        // Take away whatever nothing leads to; what remains are circles.
        let mut incoming = vec![0_usize; self.nodes.len()];
        let ends = |link: &Link| Some((self.place(link.from)?, self.place(link.to)?));
        let mut outgoing = vec![Vec::new(); self.nodes.len()];
        for (from, to) in self.links.iter().filter_map(ends) {
            incoming[to] += 1;
            outgoing[from].push(to);
        }
        let mut free: Vec<usize> = (0..incoming.len())
            .filter(|&at| incoming[at] == 0)
            .collect();
        let mut taken = 0;
        while let Some(at) = free.pop() {
            taken += 1;
            for &to in &outgoing[at] {
                incoming[to] -= 1;
                if incoming[to] == 0 {
                    free.push(to);
                }
            }
        }
        taken < incoming.len()
    }
}
