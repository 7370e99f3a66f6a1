/** The promises of every video tool, run over all that the registry finds: a new tool is covered without a line here. */
import { loadTool, scanTools } from '../../../src/tool/registry.ts'
import { type AvToolOptions, describeAvTool } from '../../helpers/promises/av-tool.ts'

/** What a declaration cannot tell, and what a tool does not promise, with the reason. */
const OPTIONS: Readonly<Record<string, AvToolOptions>> = {
  'crop-video': { settings: { width: 16, height: 16 } },
  'extract-audio': {
    except: {
      audioTracks: 'a sound file holds one',
      silent: 'there is nothing to save',
      oddSize: 'a sound has no size',
    },
  },
  'video-loudnorm': { except: { silent: 'there is nothing to level' } },
  'video-to-webp': { settings: { width: 64 }, except: { audioTracks: 'pictures have no sound' } },
  'mute-video': { except: { audioTracks: 'it drops the sound' } },
  'replace-audio': { except: { audioTracks: 'one sound takes the place of all', silent: 'it gets a sound' } },
  'video-to-frames': { except: { audioTracks: 'pictures have no sound' } },
  'video-to-gif': { settings: { width: 64 }, except: { audioTracks: 'pictures have no sound' } },
}

for (const entry of await scanTools())
  if (entry.section === 'video' && !entry.base) describeAvTool(await loadTool(entry), OPTIONS[entry.id])
