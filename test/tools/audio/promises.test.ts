/** The guarantees of every audio tool in the registry: covers a new tool without a line here. */
import { loadTool, scanTools } from '../../../src/tool/registry.ts'
import { makeAudio } from '../../helpers/av.ts'
import { type AvToolOptions, describeAvTool } from '../../helpers/promises/av-tool.ts'
import { stubSpeechModels } from '../../helpers/speech.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

/** What a declaration does not contain, and what a tool does not guarantee, with the reason. */
const OPTIONS: Readonly<Record<string, AvToolOptions>> = {
  'audio-channels': { audio: { channels: 2 } },
  // WAV stores no tags of any name.
  'replay-gain': {
    audio: { extension: 'flac' },
    partner: () => makeAudio({ extension: 'flac' }),
    except: { channels: 'it takes no WAV' },
  },
  // The tone has no silence.
  'split-audio': { settings: { segmentS: 1 }, refused: { 'mode=silence': 'INVALID_SETTINGS' } },
  'transcribe-audio': { except: { channels: 'it writes text' } },
}

stubSpeechModels(temporaryFolder())

for (const entry of await scanTools())
  if (entry.section === 'audio' && !entry.base) describeAvTool(await loadTool(entry), OPTIONS[entry.id])
