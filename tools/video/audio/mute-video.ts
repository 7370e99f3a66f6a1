import { avTool } from '../../../src/tool/av-tool.ts'

export default avTool({
  section: 'video',
  id: 'mute-video',
  summary: 'Drop the audio tracks of a video without re-encoding',
  suffix: 'muted',
  heavy: false,
  settings: {},
  examples: [{ title: 'without audio' }],
  plan: () => ({ audio: 'drop' }),
})
