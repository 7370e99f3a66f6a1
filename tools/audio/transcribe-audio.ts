import { srtOf, vttOf } from '../../src/media/av/subtitles/cues.ts'
import { speechCues } from '../../src/media/av/subtitles/speech-cues.ts'
import { SPEECH_LANGUAGES, TIME_LIMIT_S, transcribe } from '../../src/models/speech/transcribe.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { choice } from '../../src/tool/settings.ts'

export default avTool({
  section: 'audio',
  id: 'transcribe-audio',
  summary: 'Turn speech into text, SRT or WebVTT',
  suffix: '',
  bundles: ['transcription'],
  settings: {
    language: choice(SPEECH_LANGUAGES, 'spoken language; auto detects it from the first half minute', {
      default: 'auto',
    }),
    outputFormat: choice(['txt', 'srt', 'vtt'], 'plain text, or subtitles with times', { default: 'txt' }),
  },
  output: { kind: 'file+report', type: { setting: 'outputFormat' } },
  timeoutS: TIME_LIMIT_S,
  async: true,
  batch: false,
  examples: [
    { title: 'the words of an audio file' },
    { title: 'subtitles of a German one', settings: { language: 'de', outputFormat: 'srt' } },
  ],
  async produce([source], { language, outputFormat }, context) {
    const { segments, ...facts } = await transcribe(source, language, context)
    const text = segments.map(({ text: said }) => said).join(' ')
    const cues = outputFormat === 'txt' ? [] : speechCues(segments)
    const contents = { txt: () => (text === '' ? '' : `${text}\n`), srt: () => srtOf(cues), vtt: () => vttOf(cues) }
    return {
      files: [{ type: outputFormat, data: contents[outputFormat]() }],
      report: { segments: segments.length, ...facts },
    }
  },
})
