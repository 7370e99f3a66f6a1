import { avTool } from '../../src/tool/av-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

export default avTool({
  section: 'audio',
  id: 'reverse-audio',
  summary: 'Play an audio file backwards',
  suffix: 'reversed',
  settings: {},
  output: REENCODED,
  examples: [{ title: 'backwards', inputs: ['tone.mp3'] }],
  plan: (source) => reencoded(source, ['areverse']),
})
