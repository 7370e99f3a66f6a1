import { expect, known } from '../doubt.ts'
import type { Packet } from '../input/packet-list.ts'
import { inMovie } from './movie.ts'
import type { Track } from './track.ts'

/**
 * Lists the frames of a video in file order from the index of an MP4, which takes a few milliseconds; the start of ffmpeg
 * takes about a hundred.
 * @param index of the stream
 * @returns whether they are listed: files that `readPlainMp4` leaves to ffprobe are not
 */
export function eachPlainFrame(path: string, index: number, onFrame: (frame: Packet) => void): boolean {
  const listed = inMovie(path, ({ tracks }) => {
    const track = known(tracks[index])
    const keys = keysOf(track)
    const runs = delaysOf(track)
    let number = 0
    for (const [count, delay] of runs)
      for (const end = number + count; number < end; number += 1)
        onFrame({ ...timesOf(track, number, delay), isKey: keys?.has(number) ?? true })
    return true
  })
  return listed === true
}

/** Builds of ffmpeg seek by decoding or by presentation time, and some to up to 3/23 s before the time; seconds. */
const SEEK_S = 0.25
/** Seeks round times to microseconds or ticks; seconds. */
const ROUNDED_S = 0.01

/**
 * The key frame that ffmpeg finds by seeking to a time.
 * @returns undefined if it depends on the build, or only ffmpeg can list the frames
 */
export function plainKeyFrame(path: string, index: number, timeS: number): Packet | undefined {
  let [found, isFirst, isCertain]: [Packet | undefined, boolean, boolean] = [undefined, true, true]
  const isListed = eachPlainFrame(path, index, (frame) => {
    if (!frame.isKey) return
    const [fromS, untilS] = [Math.min(frame.decodedS, frame.timeS), Math.max(frame.decodedS, frame.timeS)]
    // Nothing comes before the first one.
    if (untilS <= timeS - (isFirst ? 0 : SEEK_S)) found = frame
    else if (fromS <= timeS + ROUNDED_S) isCertain = false
    isFirst = false
  })
  return isListed && isCertain ? found : undefined
}

/** When the frame with a number (from 0) is decoded and shown, seconds from the start of the file. */
function timesOf({ samples, ticksPerS, startTicks }: Track, number: number, delay: number): Omit<Packet, 'isKey'> {
  const decoded = startTicks + number * samples.times.firstTicks - samples.firstShownTicks
  return { decodedS: decoded / ticksPerS, timeS: (decoded + delay) / ticksPerS }
}

/**
 * Runs of frames with the same ticks from decoding to showing: their number and the ticks.
 * @throws Doubt for frames that the edit list leaves out, or that are shown before they are decoded
 */
function delaysOf({ samples: { delays, times, firstShownTicks }, ticks }: Track): Iterable<[number, number]> {
  expect(!delays || delays.length === 8 + 8 * delays.readUInt32BE(4))
  const runs = (): Iterable<[number, number]> => (delays ? runsOf(delays) : [[times.count, 0]])
  const shownTicks = (number: number, delay: number): number => number * times.firstTicks - firstShownTicks + delay
  let total = 0
  for (const [count, delay] of runs()) {
    expect(count > 0 && delay >= 0 && shownTicks(total, delay) >= 0)
    total += count
    expect(total <= times.count && shownTicks(total - 1, delay) < ticks)
  }
  expect(total === times.count)
  return runs()
}

/** Millions of runs are not kept as a list. */
function* runsOf(delays: Buffer): Generator<[number, number]> {
  for (let at = 8; at < delays.length; at += 8) yield [delays.readUInt32BE(at), delays.readInt32BE(at + 4)]
}

/** The numbers of the key frames, from 0; undefined if all frames are. @throws Doubt for other starting points */
function keysOf({ samples: { keys, hasGroups } }: Track): Set<number> | undefined {
  expect(!hasGroups)
  if (!keys) return undefined
  const count = keys.readUInt32BE(4)
  expect(keys.length === 8 + 4 * count)
  const numbers = new Set(Array.from({ length: count }, (_, index) => keys.readUInt32BE(8 + 4 * index) - 1))
  // Before the first key frame, builds differ in what seeking finds.
  expect(numbers.has(0))
  return numbers
}
