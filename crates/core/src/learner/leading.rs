//! The direction in which vectors differ most.

/// Leading direction of weighted vectors, one behind the other: a few steps of the power method from the longest one.
/// `next` is scratch.
pub(crate) fn leading(weights: &[f64], vectors: &[f64], direction: &mut Vec<f64>, next: &mut Vec<f64>) {
    let size = vectors.len() / weights.len().max(1);
    let vector = |i: usize| &vectors[i * size..(i + 1) * size];
    let length = |i: usize| weights[i] * inner(vector(i), vector(i));
    let longest = (0..weights.len()).reduce(|a, b| if length(b) > length(a) { b } else { a });
    direction.clear();
    direction.extend_from_slice(longest.map_or(&[], vector));
    for _ in 0..4 {
        next.clear();
        next.resize(size, 0.0);
        for (i, weight) in weights.iter().enumerate() {
            let along = weight * inner(vector(i), direction);
            next.iter_mut().zip(vector(i)).for_each(|(n, x)| *n += along * x);
        }
        let length = inner(next, next).sqrt();
        if length == 0.0 {
            break;
        }
        direction.iter_mut().zip(&*next).for_each(|(d, x)| *d = x / length);
    }
}

/// The inner product.
pub(crate) fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
