import { audioTool } from './_shared/audio-tool.ts'
import { REENCODED } from './_shared/encode/reencoded.ts'
import { isTooLong, reversedPart } from './reverse-audio/part.ts'

export default audioTool({
  id: 'reverse-audio',
  summary: 'Play an audio file backwards',
  suffix: 'reversed',
  settings: {},
  output: REENCODED,
  examples: [{ title: 'backwards', inputs: ['tone.mp3'] }],
  measures: (_settings, source) => isTooLong(source),
  plan: (source, _settings, context) => reversedPart(source, context),
})
