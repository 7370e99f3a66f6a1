import { SPEECH_RATE } from '../../media/av/filters/mono-sound.ts'
import { WINDOW_SAMPLES } from './mel.ts'
import { padded, type Stretch } from './voice-activity.ts'

const inSamples = (seconds: number): number => Math.round(seconds * SPEECH_RATE)

/** Pauses up to this long belong to what is said (the voice filter of faster-whisper). */
const LONGEST_PAUSE = inSamples(2)
/** What is heard of the silence around speech. */
const PADDING = inSamples(0.4)
/** Less speech than this is not listened to again: it is the end of what was heard before. */
const LEAST_SPEECH = inSamples(0.25)

/** A stretch that is listened to, and where the speech in it ends. */
export interface Spoken extends Stretch {
  spokenTo: number
}

/** Speech with its pauses, and a little of the silence around it. */
export function withPauses(speech: readonly Stretch[], length: number): Spoken[] {
  const joined: Stretch[] = []
  for (const { from, to } of speech) {
    const last = joined.at(-1)
    if (last && from - last.to < LONGEST_PAUSE) last.to = to
    else joined.push({ from, to })
  }
  return padded(joined, PADDING, length).map((stretch, index) => ({ ...stretch, spokenTo: joined[index]!.to }))
}

/**
 * What is listened to next: at most 30 s from the next speech on, without the silence at its end. Short silences within are
 * heard, so that many short remarks take no more windows than one long speech.
 * @param at up to where everything was heard
 */
export function nextWindow(spoken: readonly Spoken[], at: number): Stretch | undefined {
  const next = spoken.find(({ spokenTo }) => spokenTo - at >= LEAST_SPEECH)
  if (!next) return undefined
  const from = Math.max(at, next.from)
  const latest = from + WINDOW_SAMPLES
  const last = spoken.findLast((stretch) => stretch.from < latest)!
  return { from, to: Math.min(latest, last.to) }
}
