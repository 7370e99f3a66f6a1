import { join } from 'node:path'
import { decodeMonoSound, type MonoSound } from '../../media/av/filters/mono-sound.ts'
import type { AvSource } from '../../media/av/input/part.ts'
import type { Said } from '../../media/av/subtitles/speech-cues.ts'
import { featureMissing } from '../missing.ts'
import { hasModel, type ModelContext, useModel } from '../use-model.ts'
import type { SpokenLanguage } from './vocabulary.ts'
import { findSpeech, type Stretch } from './voice-activity.ts'
import { hear } from './whisper.ts'
import { type Spoken, withPauses } from './windows.ts'

/**
 * The speech models, best first. None was tested with its real weights here; see docs/models.md for what was tested.
 */
const WHISPER = ['whisper-small', 'whisper-base', 'whisper-tiny'] as const
const ENCODER = 'encoder_model_quantized.onnx'
const DECODER = 'decoder_model_merged_quantized.onnx'

const VOICE = ['silero-vad', 'silero-vad-v5'] as const

/** The languages that tools accept; `auto` covers all of Whisper's languages. */
export const SPEECH_LANGUAGES = ['auto', 'en', 'de', 'fr', 'es', 'zh', 'ja', 'ko', 'id', 'th', 'vi'] as const
export type SpeechLanguage = (typeof SPEECH_LANGUAGES)[number]

/** ISO 639 code for an undetermined language. */
const UNDETERMINED = 'und'

/** Time limit in seconds for short audio; long audio may take twice its duration. */
export const TIME_LIMIT_S = 300
const TIME_FACTOR = 2

export interface SpeechContext extends ModelContext {
  moreTime(seconds: number): void
  progress(fraction: number, phase: string): void
  scratch(): Promise<string>
}

/** A transcript. */
export interface Transcript {
  language: SpokenLanguage | typeof UNDETERMINED
  segments: Said[]
  /** The model used; absent if there is no speech. */
  model?: string
}

/** Names of the progress steps (catalogue). */
const PARTS = { decoding: 0.05, listening: 0.1, hearing: 0.2, heard: 0.95 } as const

async function speechIn(sound: MonoSound, context: SpeechContext): Promise<Spoken[]> {
  const { listening, hearing } = PARTS
  const report = (fraction: number): void =>
    context.progress(listening + (hearing - listening) * fraction, 'looking for speech')
  const found = await useModel(VOICE, context, (model) => findSpeech(sound, model, report))
  if (!found) context.warn('No speech detection model is installed: silence is transcribed, too')
  const all: Stretch[] = sound.length > 0 ? [{ from: 0, to: sound.length }] : []
  return withPauses(found ?? all, sound.length)
}

/**
 * Transcribes the first audio stream of a media file: decodes it into a file, detects speech with Silero, and runs the
 * best installed Whisper model that fits in memory on 30 s at a time.
 * @throws MediaprocError FEATURE_NOT_INSTALLED; UNSUPPORTED_FILE_TYPE for a media file without audio
 */
export async function transcribe(
  source: AvSource,
  language: SpeechLanguage,
  context: SpeechContext,
): Promise<Transcript> {
  if (!(await hasModel(WHISPER))) throw featureMissing('transcription')
  const { signal, warn, progress, scratch } = context
  const { decoding, listening, hearing, heard } = PARTS
  const { durationS = 0 } = source.info
  if (TIME_FACTOR * durationS > TIME_LIMIT_S) context.moreTime(TIME_FACTOR * durationS - TIME_LIMIT_S)
  progress(decoding, 'decoding the audio')
  const sound = await decodeMonoSound(source, join(await scratch(), 'sound.s16'), {
    ...{ signal, warn },
    onProgress: (fraction) => progress(decoding + (listening - decoding) * fraction, 'decoding the audio'),
  })
  try {
    const spoken = await speechIn(sound, context)
    if (spoken.length === 0) {
      warn('no speech was detected')
      return { language: language === 'auto' ? UNDETERMINED : language, segments: [] }
    }
    const onProgress = (fraction: number): void => progress(hearing + (heard - hearing) * fraction, 'transcribing')
    onProgress(0)
    const made = await useModel(
      WHISPER,
      context,
      async (encoder, ...[decoder]) => {
        const transcript = await hear(
          { encoder, decoder: decoder! },
          { sound, spoken, language },
          { signal, warn, onProgress },
        )
        return { ...transcript, model: encoder.id }
      },
      ENCODER,
      DECODER,
    )
    if (!made) throw featureMissing('transcription')
    return made
  } finally {
    await sound.close()
  }
}
