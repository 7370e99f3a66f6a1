import type { Constant, Graph } from './onnx.ts'

interface Point {
  x: number
  y: number
}

/** A head as drawn by tests: positions in pixels of a picture of at most 320 pixels, whose person is red. */
export interface DrawnHead {
  eyes: { left: Point; right: Point }
  chin: Point
  nose: Point
  crown: number
}

const STRIDE = 32
const SIDE = 640

/** A graph with a constant output for any input. */
function constantGraph(input: Graph['inputs'][number], answers: readonly Constant[]): Graph {
  return {
    inputs: [input],
    outputs: answers.map(({ name, dims }) => ({ name, shape: dims })),
    constants: answers.map((answer) => ({ ...answer, name: `${answer.name}_held` })),
    nodes: answers.map(({ name }) => ({ op: 'Identity', inputs: [`${name}_held`], outputs: [name] })),
  }
}

/** The box of a face: from above the brows to below the chin. */
const boxOf = ({ eyes, chin }: DrawnHead) => {
  const below = chin.y - eyes.left.y
  return { left: chin.x - 0.7 * below, top: eyes.left.y - 0.5 * below, width: 1.4 * below, height: 1.6 * below }
}

/** A network of YuNet's tensors that detects one face, always at the same position. */
export function seesOneFace(head: DrawnHead): Graph {
  const { left, top, width, height } = boxOf(head)
  const centre = { x: left + width / 2, y: top + height / 2 }
  const [column, row] = [Math.floor(centre.x / STRIDE), Math.floor(centre.y / STRIDE)]
  const at = row * (SIDE / STRIDE) + column
  const answers = [8, 16, 32].flatMap((stride) => {
    const cells = (SIDE / stride) ** 2
    const part = (name: string, count: number, values: readonly number[]): Constant => {
      const data = new Float32Array(cells * count)
      if (stride === STRIDE) data.set(values, at * count)
      return { name: `${name}_${stride}`, dims: [1, cells, count], data }
    }
    const box = [
      centre.x / STRIDE - column,
      centre.y / STRIDE - row,
      Math.log(width / STRIDE),
      Math.log(height / STRIDE),
    ]
    const { right, left: other } = head.eyes
    const points = [right, other, head.nose, head.chin, head.chin]
    const keyPoints = points.flatMap(({ x, y }) => [x / STRIDE - column, y / STRIDE - row])
    return [part('cls', 1, [1]), part('obj', 1, [1]), part('bbox', 4, box), part('kps', 10, keyPoints)]
  })
  return constantGraph({ name: 'input', shape: [1, 3, SIDE, SIDE] }, answers)
}

/** The part of the picture that the landmark network receives. */
function shownArea(head: DrawnHead, picture: { width: number; height: number }) {
  const { left, top, width, height } = boxOf(head)
  const x = Math.max(0, Math.floor(left - width * 0.1))
  const y = Math.max(0, Math.floor(top - height * 0.125))
  const right = Math.min(picture.width, Math.ceil(left + width * 1.1))
  const bottom = Math.min(picture.height, Math.ceil(top + height * 1.125))
  return { x, y, width: right - x, height: bottom - y }
}

/** A network of OpenSeeFace's tensors that always finds eyes, nose and chin at the drawn positions. */
export function seesLandmarks(head: DrawnHead, picture: { width: number; height: number }): Graph {
  const [input, grid, count] = [224, 28, 66]
  const area = shownArea(head, picture)
  const cells = grid * grid
  const data = new Float32Array(3 * count * cells)
  for (let point = 0; point < count; point += 1) {
    const eye = point >= 36 && point < 42 ? head.eyes.right : point >= 42 && point < 48 ? head.eyes.left : undefined
    const { x, y } = eye ?? (point === 30 ? head.nose : head.chin)
    // Its position in the network's input, as the centre of a cell and the rest.
    const column = ((x - area.x) * input) / area.width
    const row = ((y - area.y) * input) / area.height
    const cellOf = (value: number): number => Math.round((value * (grid - 1)) / (input - 1))
    const middle = (cell: number): number => ((input - 1) * cell) / (grid - 1)
    const [across, down] = [cellOf(column), cellOf(row)]
    const cell = down * grid + across
    const offset = (value: number): number => 1 / (1 + Math.exp((-16 * value) / (input - 1)))
    data[point * cells + cell] = 0.9
    data[(count + point) * cells + cell] = offset(row - middle(down))
    data[(2 * count + point) * cells + cell] = offset(column - middle(across))
  }
  return constantGraph({ name: 'input', shape: [1, 3, input, input] }, [
    { name: 'output', dims: [1, 3 * count, grid, grid], data },
  ])
}

/**
 * A portrait on green: a head and shoulders in red, a yellow line at the eyes and a magenta one at the chin, which tests
 * find again in the output.
 */
export function portraitSvg(
  { eyes, chin, crown }: DrawnHead,
  { width, height }: { width: number; height: number },
): Buffer {
  const x = (eyes.left.x + eyes.right.x) / 2
  const [middle, radius] = [(crown + chin.y) / 2, (chin.y - crown) / 2]
  const line = (y: number, colour: string): string =>
    `<rect x="${x - 4}" y="${y - 1}" width="8" height="2" fill="${colour}"/>`
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#00c800"/><rect x="${x - radius * 1.3}" y="${chin.y - 4}" width="${radius * 2.6}" height="${height}" fill="#ff0000"/><ellipse cx="${x}" cy="${middle}" rx="${radius * 0.75}" ry="${radius}" fill="#ff0000"/>${line(eyes.left.y, '#ffff00')}${line(chin.y, '#ff00ff')}</svg>`,
  )
}
