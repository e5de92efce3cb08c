//! Plots of a player: the network, and the values of pieces on squares.

use mendel_engine::Player;

use super::analyses::{AnalysisKind, Picture, block};
use super::read::RunRecord;
use crate::analysis::squares::{SquareMap, effects, fields};
use crate::analysis::wiring::{LayoutLayer, NetworkLayout};
use crate::page::PageBlock;
use crate::plot::{BoardHeatMaps, DiagramLayer, HeatBoard, NetworkDiagram, decimal, number};

/// Boards of one node, in two rows.
const PLANES: usize = 12;

impl RunRecord {
    /// The plots of the champion, if it is a network.
    pub(super) fn champion_blocks(&self) -> Vec<PageBlock> {
        let Some(champion) = &self.champion else {
            return Vec::new();
        };
        let evaluator = champion.used_evaluator().ok();
        if evaluator.and_then(NetworkLayout::of).is_none() {
            return Vec::new();
        }
        pictures_of(champion).into_iter().map(block).collect()
    }
}

/// All plots of a player: the values of pieces on squares, and the network if it is one; none if the
/// player has no evaluator.
pub fn pictures_of(player: &Player) -> Vec<Picture> {
    let mut pictures = Vec::new();
    let Ok(evaluator) = player.used_evaluator() else {
        return pictures;
    };
    if let Some(plan) = NetworkLayout::of(evaluator) {
        pictures.push(plan_picture(&player.name, &plan));
    }
    pictures.push(effect_picture(&player.name, &effects(evaluator)));
    let fields = fields(evaluator);
    if !fields.is_empty() {
        pictures.push(field_picture(&player.name, &fields));
    }
    pictures
}

fn plan_picture(name: &str, plan: &NetworkLayout) -> Picture {
    let layer = |layer: &LayoutLayer| DiagramLayer {
        name: layer.name.clone(),
        words: match (layer.nodes.len(), layer.all) {
            (shown, all) if shown < all => format!("{shown} of {}", number(all as f64)),
            (_, all) => number(all as f64),
        },
        nodes: layer.nodes.clone(),
    };
    let wiring = NetworkDiagram {
        title: format!("The network of {name}"),
        layers: plan.layers.iter().map(layer).collect(),
        wires: plan.links.clone(),
    };
    let (shown, all) = (plan.links.len(), plan.all_links);
    let count = number(all as f64);
    let caption = if plan.layers.is_empty() || all == 0 {
        "No input leads to the output: it says the same of every position.".to_owned()
    } else if shown < all {
        format!(
            "The strongest nodes of each layer and {shown} of {count} connections, the strongest into each layer."
        )
    } else {
        format!("All {count} connections on a way from an input to the output.")
    };
    AnalysisKind::Network.picture("network", wiring.draw(), caption)
}

fn board(map: &SquareMap, middle: f64, words: String, reach: Option<f64>) -> HeatBoard {
    HeatBoard {
        name: map.name.clone(),
        words,
        middle,
        reach,
        values: map.values.iter().map(|it| it.unwrap_or(f64::NAN)).collect(),
    }
}

fn effect_picture(name: &str, maps: &[SquareMap]) -> Picture {
    let of_one = |map: &SquareMap| {
        let (low, high) = map.ends();
        let mean = map.mean();
        let [centre, from, to] = [mean, low, high].map(rounded);
        board(map, mean, format!("mean {centre}, {from} to {to}"), None)
    };
    let boards = BoardHeatMaps {
        title: format!("What a man is worth on each square to {name}"),
        columns: 3,
        boards: maps.iter().map(of_one).collect(),
        key: ["least", "the mean", "most"].map(str::to_owned),
    };
    let colours = if maps.len() > 6 {
        " It sees colour: Black’s boards are turned over, and would equal White’s if it did not."
    } else {
        ""
    };
    let caption = format!(
        "In centipawns, as the owner sees it, who plays upwards: the score with one man more on the square less the score \
         without, in the mean of twelve positions with either side to move. For the king: the score with it there less the \
         mean over its squares. Each board has its own scale.{colours}"
    );
    AnalysisKind::Squares.picture("squares", boards.draw(), caption)
}

fn field_picture(name: &str, maps: &[SquareMap]) -> Picture {
    // The boards of one node share a scale, so that they can be compared.
    let by_planes = maps.first().is_some_and(|map| map.name.contains(','));
    let group = if by_planes { PLANES } else { 1 };
    let boards = maps.chunks(group).flat_map(|node| {
        let far = |map: &SquareMap| {
            let (low, high) = map.ends();
            low.abs().max(high.abs())
        };
        let reach = node.iter().map(far).fold(0.0, f64::max);
        node.iter().map(move |map| {
            let reach_of_one = format!("±{}", decimal(far(map)));
            let mut board = board(map, 0.0, reach_of_one, Some(reach));
            // Twelve boards in two rows have room only for the name of the piece.
            if let Some((node, man)) = map.name.split_once(", ") {
                man.clone_into(&mut board.name);
                board.words = format!("{node}, {}", board.words);
            }
            board
        })
    });
    let boards = BoardHeatMaps {
        title: format!("What the nodes of {name} look at"),
        columns: if by_planes { 6 } else { 5 },
        boards: boards.collect(),
        key: ["negative", "nothing", "positive weights"].map(str::to_owned),
    };
    let scale = if by_planes {
        "The twelve boards of a node share a scale."
    } else {
        "Each board has its own scale."
    };
    let caption = format!(
        "Receptive fields: the weights from the squares to the nodes that matter most, the strongest first. {scale}"
    );
    AnalysisKind::Squares.picture("fields", boards.draw(), caption)
}

/// Integer centipawns, with decimals for the small values of networks.
fn rounded(value: f64) -> String {
    if value.abs() < 10.0 {
        decimal(value)
    } else {
        number(value.round())
    }
}
