import { firstOf } from '../../lists.ts'
import type { ImageFrame } from '../../media/image/frame.ts'
import { featureMissing } from '../missing.ts'
import { type LoadedModel, type ModelContext, useModel } from '../use-model.ts'
import { type ReadCharacter, wordsOf } from './ctc.ts'
import { detectText, type Picture } from './detect.ts'
import { partOf, type TurnedBox, turnedBack } from './geometry.ts'
import { LINE_CLASSIFIERS, onTheirHeads, type ReadLine, readBoxes } from './recognise.ts'
import { headOver, lineBox } from './strip.ts'
import type { TextRun } from './text-run.ts'
import { unreadLines } from './unread.ts'

/** The models for detecting and for recognising lines, the preferred one first. */
export interface Readers {
  detection: readonly string[]
  recognition: readonly string[]
}

export interface Unread {
  /** Per run. */
  glyphs: readonly number[]
  places: readonly TurnedBox[]
}

export interface PaddleReading {
  runs: TextRun[]
  /** Detected but unread: glyphs within lines, and places that look like text. */
  unread: Unread
  /** The model that read the image. */
  model: string
  device: LoadedModel['device']
}

/** Small images are enlarged, which improves detection: minimum shorter side, and maximum longer side; px. */
const COPY_SHORTER = 736
const COPY_LONGER = 1536

/** Lines with a lower mean are a pattern, not text (PaddleOCR). */
const LEAST_CONFIDENCE = 0.5

/** The number of longest lines that determine the rotation of a page. */
const SAMPLE = 6

/** Minimum gain in confidence for reading the other way round. */
const TURN_MARGIN = 0.1

async function pictureOf(frame: ImageFrame): Promise<Picture> {
  const { data, width, height } = await frame.pixels({ alpha: 'drop' })
  return { data, width, height }
}

/** The image used for detection, and its scale. */
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

/** The mean confidence of lines, weighted by length. */
function sureness(lines: readonly ReadLine[]): number {
  return confidenceOf(lines.flatMap(({ characters }) => characters))
}

/** The number of clockwise quarter turns that make the text of an image upright. */
async function quartersOf(picture: Picture, boxes: readonly TurnedBox[], model: LoadedModel): Promise<number> {
  const lengthOf = ({ width, height }: TurnedBox): number => Math.max(width, height)
  const longest = [...boxes].sort((one, other) => lengthOf(other) - lengthOf(one)).slice(0, SAMPLE)
  const down = longest.filter(({ width, height }) => height > 1.5 * width).length
  const [side, other] = down > longest.length / 2 ? ([3, 1] as const) : ([0, 2] as const)
  // Vertical lines are read from bottom to top (turned by 3 quarters) or from top to bottom.
  const angles = { 0: 0, 1: -Math.PI / 2, 2: Math.PI, 3: Math.PI / 2 }
  const laid = (box: TurnedBox, quarters: keyof typeof angles): TurnedBox => {
    const level = quarters % 2 === 1 ? { ...box, width: box.height, height: box.width } : box
    return { ...level, angle: box.angle + angles[quarters] }
  }
  const score = async (quarters: keyof typeof angles): Promise<number> => {
    const lines = longest.map((box) => laid(box, quarters))
    return sureness(await readBoxes(picture, lines, model))
  }
  const asIs = await score(side)
  return (await score(other)) > asIs + TURN_MARGIN ? other : side
}

function runOf(box: TurnedBox, characters: readonly ReadCharacter[]): TextRun {
  const words = wordsOf(characters).map(({ text, from, to }) => ({ text, box: partOf(box, from, to) }))
  return { text: words.map(({ text }) => text).join(' '), confidence: confidenceOf(characters), box, words }
}

/**
 * Reads a one-page image with PaddleOCR networks: detects lines, deskews them, turns them if they are upside down, and
 * recognises them. A rotated page is turned first; boxes are in the coordinates of the given image.
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
  const read = await useModel(recognition, context, async (model) => {
    const { id, device } = model
    const report = (count: number): void => context.progress(0.5 + (0.45 * count) / lines.length)
    const isTurned = lines.map((_, at) => onHeads?.[at] ?? false)
    const found = await surestLines(picture, lines, isTurned, model, report)
    const left = unreadLines(picture, boxes)
    const late = left.length === 0 ? [] : await surestLines(picture, left, [], model)
    return { id, device, found: [...found, ...late.filter(isText)], unread: late.filter((one) => !isText(one)) }
  })
  const { id, device, found, unread } = need(read)
  const back = (box: TurnedBox): TurnedBox => turnedBack(box, quarters, frame)
  return {
    runs: found.filter(isText).map(({ box, line }) => runOf(back(box), line.characters)),
    unread: {
      glyphs: found.filter(isText).map(({ line }) => line.unread),
      places: [...found.filter((one) => !isText(one)), ...unread].map(({ box }) => back(box)),
    },
    model: id,
    device,
  }
}

interface FoundLine {
  box: TurnedBox
  line: ReadLine
}

const isText = ({ line: { characters } }: FoundLine): boolean =>
  characters.some(({ text }) => text.trim() !== '') && confidenceOf(characters) >= LEAST_CONFIDENCE

/**
 * Reads lines in the orientation with the higher confidence. The line classifier can be wrong, and a line read upside
 * down gives no text: both orientations are tried if it reports one, or if the first gives no text.
 * @param isTurned per line, whether the classifier reports it as upside down
 */
async function surestLines(
  picture: Picture,
  boxes: readonly TurnedBox[],
  isTurned: readonly boolean[],
  model: LoadedModel,
  onDone: (count: number) => void = () => {},
): Promise<FoundLine[]> {
  const lines: FoundLine[] = []
  for (const [at, box] of boxes.entries()) {
    const readAs = async (one: TurnedBox): Promise<FoundLine> => ({
      box: one,
      line: firstOf(await readBoxes(picture, [one], model)),
    })
    const upright = isTurned[at] ? undefined : await readAs(box)
    if (upright && isText(upright)) lines.push(upright)
    else {
      const [one, other] = [upright ?? (await readAs(box)), await readAs(headOver(box))]
      const isSurer = confidenceOf(other.line.characters) > confidenceOf(one.line.characters)
      lines.push(isSurer ? other : one)
    }
    onDone(lines.length)
  }
  return lines
}
