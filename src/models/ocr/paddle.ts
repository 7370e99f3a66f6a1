import type { ImageFrame } from '../../media/image/frame.ts'
import { featureMissing } from '../missing.ts'
import { type LoadedModel, type ModelContext, useModel } from '../use-model.ts'
import { type ReadCharacter, wordsOf } from './ctc.ts'
import { detectText, type Picture } from './detect.ts'
import { partOf, type TurnedBox, turnedBack } from './geometry.ts'
import { LINE_CLASSIFIERS, onTheirHeads, readBoxes } from './recognise.ts'
import { headOver, lineBox } from './strip.ts'
import type { TextRun } from './text-run.ts'

/** What reads: the models for finding and for reading lines, the wanted one first. */
export interface Readers {
  detection: readonly string[]
  recognition: readonly string[]
}

export interface PaddleReading {
  runs: TextRun[]
  /** The model that read. */
  model: string
  device: LoadedModel['device']
}

/** Text of small pictures is found more surely in an enlarged copy: its shorter side, and its longer one at most; px. */
const COPY_SHORTER = 736
const COPY_LONGER = 1536

/** Lines with a lower mean are no text but a pattern (PaddleOCR). */
const LEAST_CONFIDENCE = 0.5

/** So many of the longest lines tell how a page is turned. */
const SAMPLE = 6

/** How much surer the other way round must be. */
const TURN_MARGIN = 0.1

async function pictureOf(frame: ImageFrame): Promise<Picture> {
  const { data, width, height } = await frame.pixels({ alpha: 'drop' })
  return { data, width, height }
}

/** The picture that text is looked for in, and how much larger it is. */
async function enlarged(frame: ImageFrame, own: Picture): Promise<{ copy: Picture; scale: number }> {
  const [shorter, longer] = [Math.min(frame.width, frame.height), Math.max(frame.width, frame.height)]
  const scale = Math.min(COPY_SHORTER / shorter, COPY_LONGER / longer)
  if (scale <= 1) return { copy: own, scale: 1 }
  const size = { width: Math.round(frame.width * scale), height: Math.round(frame.height * scale) }
  const copy = await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
  return { copy: await pictureOf(copy), scale: size.width / frame.width }
}

const need = <T>(result: T | undefined): T => {
  if (result === undefined) throw featureMissing('ocr')
  return result
}

const confidenceOf = (characters: readonly ReadCharacter[]): number =>
  characters.length === 0 ? 0 : characters.reduce((sum, { confidence }) => sum + confidence, 0) / characters.length

/** The mean confidence of lines, each counting by its length. */
function sureness(lines: readonly ReadCharacter[][]): number {
  return confidenceOf(lines.flat())
}

/** How often the picture must be turned clockwise by a quarter for its text to stand upright. */
async function quartersOf(picture: Picture, boxes: readonly TurnedBox[], model: LoadedModel): Promise<number> {
  const lengthOf = ({ width, height }: TurnedBox): number => Math.max(width, height)
  const longest = [...boxes].sort((one, other) => lengthOf(other) - lengthOf(one)).slice(0, SAMPLE)
  const down = longest.filter(({ width, height }) => height > 1.5 * width).length
  const sides = down > longest.length / 2 ? [3, 1] : [0, 2]
  // What runs down the page is read from below (turned by 3 quarters... to the left) or from above.
  const angles: Readonly<Record<number, number>> = { 0: 0, 1: -Math.PI / 2, 2: Math.PI, 3: Math.PI / 2 }
  const laid = (box: TurnedBox, quarters: number): TurnedBox => {
    const level = quarters % 2 === 1 ? { ...box, width: box.height, height: box.width } : box
    return { ...level, angle: box.angle + angles[quarters]! }
  }
  const scores: number[] = []
  for (const quarters of sides) {
    const lines = longest.map((box) => laid(box, quarters))
    scores.push(sureness(await readBoxes(picture, lines, model)))
  }
  return scores[1]! > scores[0]! + TURN_MARGIN ? sides[1]! : sides[0]!
}

function runOf(box: TurnedBox, characters: readonly ReadCharacter[]): TextRun {
  const words = wordsOf(characters).map(({ text, from, to }) => ({ text, box: partOf(box, from, to) }))
  return { text: words.map(({ text }) => text).join(' '), confidence: confidenceOf(characters), box, words }
}

/**
 * Reads a picture of one page with networks of PaddleOCR: lines are found, laid level, turned where they stand on their
 * heads, and read. A page that lies on its side or its head is turned first; boxes are those of the picture as given.
 * @throws MediaprocError FEATURE_NOT_INSTALLED
 */
export async function readByPaddle(
  frame: ImageFrame,
  { detection, recognition }: Readers,
  context: ModelContext & { progress(fraction: number): void },
): Promise<PaddleReading> {
  const find = async (of: ImageFrame) => {
    const picture = await pictureOf(of)
    const { copy, scale } = await enlarged(of, picture)
    const boxes = need(await useModel(detection, context, (model) => detectText(copy, scale, model)))
    return { picture, boxes }
  }
  let { picture, boxes } = await find(frame)
  context.progress(0.3)
  const known = boxes
  const quarters = need(await useModel(recognition, context, (model) => quartersOf(picture, known, model)))
  if (quarters > 0) {
    const size =
      quarters % 2 === 1 ? { width: frame.height, height: frame.width } : { width: frame.width, height: frame.height }
    const turned = await frame.apply((image) => image.rotate(quarters * 90), { size })
    ;({ picture, boxes } = await find(await turned.settled()))
  }
  context.progress(0.5)
  const lines = boxes.map(lineBox)
  const onHeads = await useModel(LINE_CLASSIFIERS, context, (model) => onTheirHeads(picture, lines, model))
  const level = lines.map((box, at) => (onHeads?.[at] ? headOver(box) : box))
  const read = await useModel(recognition, context, async (model) => {
    const { id, device } = model
    const report = (count: number): void => context.progress(0.5 + (0.5 * count) / level.length)
    return { id, device, characters: await readBoxes(picture, level, model, report) }
  })
  const { id, device, characters } = need(read)
  const runs = level
    .map((box, at) => runOf(turnedBack(box, quarters, frame), characters[at]!))
    .filter(({ text, confidence }) => text !== '' && confidence >= LEAST_CONFIDENCE)
  return { runs, model: id, device }
}
