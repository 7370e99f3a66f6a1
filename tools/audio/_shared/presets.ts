import { type PresetRow, preset } from '../../../src/tool/preset.ts'

/** One row for each preset of this section whose base tool is implemented. */
export const presets: readonly PresetRow[] = [
  preset('audio', 'convert-audio', 'm4a-to-mp3', ['m4a'], 'mp3', { format: 'mp3' }),
  preset('audio', 'convert-audio', 'm4a-to-wav', ['m4a'], 'wav', { format: 'wav' }),
  preset('audio', 'convert-audio', 'aac-to-mp3', ['aac'], 'mp3', { format: 'mp3' }),
  preset('audio', 'convert-audio', 'aac-to-wav', ['aac'], 'wav', { format: 'wav' }),
  preset('audio', 'convert-audio', 'aac-to-flac', ['aac'], 'flac', { format: 'flac' }),
  preset('audio', 'convert-audio', 'ogg-to-mp3', ['ogg'], 'mp3', { format: 'mp3' }),
  preset('audio', 'convert-audio', 'ogg-to-wav', ['ogg'], 'wav', { format: 'wav' }),
  preset('audio', 'convert-audio', 'wav-to-mp3', ['wav'], 'mp3', { format: 'mp3' }),
  preset('audio', 'convert-audio', 'mp3-to-wav', ['mp3'], 'wav', { format: 'wav' }),
  preset('audio', 'convert-audio', 'flac-to-mp3', ['flac'], 'mp3', { format: 'mp3' }),
]
