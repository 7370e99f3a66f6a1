/**
 * The mean of each value's neighbourhood, a square of 2 * radius + 1 clipped to the plane. Uses running sums: the cost
 * does not depend on the radius.
 */
export function boxMean(plane: Float32Array, width: number, height: number, radius: number): Float32Array {
  const rows = new Float32Array(plane.length)
  for (let y = 0; y < height; y += 1) {
    const start = y * width
    let sum = 0
    let count = 0
    for (let x = 0; x < Math.min(radius, width); x += 1, count += 1) sum += plane[start + x]!
    for (let x = 0; x < width; x += 1) {
      if (x + radius < width) {
        sum += plane[start + x + radius]!
        count += 1
      }
      if (x > radius) {
        sum -= plane[start + x - radius - 1]!
        count -= 1
      }
      rows[start + x] = sum / count
    }
  }
  const means = new Float32Array(plane.length)
  const sums = new Float64Array(width)
  let count = 0
  const add = (y: number, sign: 1 | -1): void => {
    for (let x = 0; x < width; x += 1) sums[x]! += sign * rows[y * width + x]!
    count += sign
  }
  for (let y = 0; y < Math.min(radius, height); y += 1) add(y, 1)
  for (let y = 0; y < height; y += 1) {
    if (y + radius < height) add(y + radius, 1)
    if (y > radius) add(y - radius - 1, -1)
    for (let x = 0; x < width; x += 1) means[y * width + x] = sums[x]! / count
  }
  return means
}
