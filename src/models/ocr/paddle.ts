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

/** What reads: the models for finding and for reading lines, the wanted one first. */
export interface Readers {
  detection: readonly string[]
  recognition: readonly string[]
}

export interface Unread {
  /** By run. */
  glyphs: readonly number[]
  places: readonly TurnedBox[]
}

export interface PaddleReading {
  runs: TextRun[]
  /** What was found and not read: glyphs within lines, and places that look like text. */
  unread: Unread
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
function sureness(lines: readonly ReadLine[]): number {
  return confidenceOf(lines.flatMap(({ characters }) => characters))
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
 * Reads lines, each the way up that gives the surer text. The classifier of lines may be wrong about one, and a line that is
 * read upside down is no text: both ways are tried where it says so, and where the first way gives nothing.
 * @param isTurned by line, whether the classifier says that it is upside down
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
      line: (await readBoxes(picture, [one], model))[0]!,
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
