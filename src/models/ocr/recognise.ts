import { readFile } from 'node:fs/promises'
import { floatData, floats } from '../../engines/onnx/tensor.ts'
import { MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import { toPlanes } from '../tensors.ts'
import type { LoadedModel } from '../use-model.ts'
import { type Alphabet, alphabetOf, decodeLine, type ReadCharacter } from './ctc.ts'
import type { Picture } from './detect.ts'
import type { TurnedBox } from './geometry.ts'
import { inkedColumns, withSeenSpaces } from './spaces.ts'
import { levelStrip } from './strip.ts'
import { unreadGlyphs } from './unread.ts'

/** Strip height from PP-OCRv3 on, and the minimum width used in training; px. */
const STRIP_HEIGHT = 48
const LEAST_WIDTH = 320
/** A line of 3200 px has more than 200 characters: longer strips are squeezed. */
const MOST_WIDTH = 3200
const WIDTH_STEP = 8

const SCALING = { order: 'bgr', mean: [127.5, 127.5, 127.5], deviation: [127.5, 127.5, 127.5] } as const

/** Strips as one tensor: left-aligned, padded on the right with 0, the middle grey. */
function batchOf(strips: readonly Picture[], width: number, height: number): Float32Array {
  const area = width * height
  const batch = new Float32Array(strips.length * 3 * area)
  for (const [index, { data, width: across }] of strips.entries()) {
    const planes = toPlanes({ data, width: across, channels: 3, left: 0, top: 0, across, down: height }, SCALING)
    for (let row = 0; row < 3 * height; row += 1)
      batch.set(planes.subarray(row * across, (row + 1) * across), index * 3 * area + row * width)
  }
  return batch
}

async function alphabetFor({ files }: LoadedModel, classes: number): Promise<Alphabet> {
  for (const [name, path] of files) if (name.endsWith('.txt')) return alphabetOf(await readFile(path, 'utf8'), classes)
  throw new MediaprocError('INTERNAL', 'A model for text has no dictionary')
}

/** A recognised line. */
export interface ReadLine {
  characters: ReadCharacter[]
  /** Glyphs without a recognised character. */
  unread: number
}

/**
 * Reads the lines in some boxes of an image, one at a time: a line padded to the width of another is read slightly
 * differently, and the text of a box must not depend on the others.
 */
export async function readBoxes(
  picture: Picture,
  boxes: readonly TurnedBox[],
  model: LoadedModel,
  onDone: (count: number) => void = () => {},
): Promise<ReadLine[]> {
  const [input, output] = [firstOf(model.inputs).name, firstOf(model.outputs).name]
  const lines: ReadLine[] = []
  let alphabet: Alphabet | undefined
  for (const box of boxes) {
    const wanted = Math.round((box.width / box.height) * STRIP_HEIGHT)
    const across = Math.min(MOST_WIDTH, Math.max(WIDTH_STEP, wanted))
    const width = Math.max(LEAST_WIDTH, Math.ceil(across / WIDTH_STEP) * WIDTH_STEP)
    const strip = levelStrip(picture, box, STRIP_HEIGHT, across)
    const feeds = { [input]: floats(batchOf([strip], width, STRIP_HEIGHT), [1, 3, STRIP_HEIGHT, width]) }
    const answer = (await model.run(feeds))[output]!
    const [, steps, classes] = answer.dims as [number, number, number]
    alphabet ??= await alphabetFor(model, classes)
    const characters = decodeLine(floatData(answer), steps, alphabet, across / width)
    const inked = inkedColumns(strip)
    const unread = unreadGlyphs(characters, inked, STRIP_HEIGHT)
    lines.push({ characters: withSeenSpaces(characters, strip, inked), unread })
    onDone(lines.length)
  }
  return lines
}

/** Input of the line classifiers: narrower strips are padded, wider ones squeezed. */
const CLASSIFIERS: Readonly<Record<string, { width: number; height: number }>> = {
  'pp-lcnet-textline-ori': { width: 160, height: 80 },
  'ppocr-cls-v2': { width: 192, height: 48 },
}

/** The line classifiers, the better one first. */
export const LINE_CLASSIFIERS = Object.keys(CLASSIFIERS)

/** Short words are reported as upside down with 40 to 60 percent: a line is turned only above this value. */
const TURN_FROM = 0.9

/** Whether the line in each box is upside down. */
export async function onTheirHeads(
  picture: Picture,
  boxes: readonly TurnedBox[],
  model: LoadedModel,
): Promise<boolean[]> {
  const { width, height } = CLASSIFIERS[model.id]!
  const [input, output] = [firstOf(model.inputs).name, firstOf(model.outputs).name]
  const answers: boolean[] = []
  for (const box of boxes) {
    const wanted = Math.round((box.width / box.height) * height)
    const strip = levelStrip(picture, box, height, Math.min(width, Math.max(1, wanted)))
    const answer = await model.run({ [input]: floats(batchOf([strip], width, height), [1, 3, height, width]) })
    answers.push(floatData(answer[output])[1]! > TURN_FROM)
  }
  return answers
}
