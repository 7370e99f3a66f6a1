import { zip } from '../../lists.ts'
import { SPEECH_RATE } from '../../media/av/filters/mono-sound.ts'
import { WINDOW_SAMPLES } from './mel.ts'
import { padded, type Stretch } from './voice-activity.ts'

const inSamples = (seconds: number): number => Math.round(seconds * SPEECH_RATE)

/** Pauses up to this length count as speech (the voice filter of faster-whisper). */
const LONGEST_PAUSE = inSamples(2)
/** Silence kept around speech. */
const PADDING = inSamples(0.4)
/** Shorter remainders are not processed again: they are the end of the previous text. */
const LEAST_SPEECH = inSamples(0.25)

/** A window, and the end of the speech in it. */
export interface Spoken extends Stretch {
  spokenTo: number
}

/** Speech with its pauses, and some silence around it. */
export function withPauses(speech: readonly Stretch[], length: number): Spoken[] {
  const joined: Stretch[] = []
  for (const { from, to } of speech) {
    const last = joined.at(-1)
    if (last && from - last.to < LONGEST_PAUSE) last.to = to
    else joined.push({ from, to })
  }
  return zip(padded(joined, PADDING, length), joined).map(([stretch, { to }]) => ({ ...stretch, spokenTo: to }))
}

/**
 * The next window: at most 30 s from the next speech on, without the silence at its end. Short silences inside are
 * included, so that many short utterances need no more windows than one long speech.
 * @param at the end of the processed part
 */
export function nextWindow(spoken: readonly Spoken[], at: number): Stretch | undefined {
  const next = spoken.find(({ spokenTo }) => spokenTo - at >= LEAST_SPEECH)
  if (!next) return undefined
  const from = Math.max(at, next.from)
  const latest = from + WINDOW_SAMPLES
  const last = spoken.findLast((stretch) => stretch.from < latest)!
  return { from, to: Math.min(latest, last.to) }
}
