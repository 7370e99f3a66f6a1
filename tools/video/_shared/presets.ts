import { type PresetRow, preset } from '../../../src/tool/preset.ts'

/** One row for every preset of this section whose base tool is here. */
export const presets: readonly PresetRow[] = [
  preset('video', 'convert-video', 'mov-to-mp4', ['mov'], 'mp4', { format: 'mp4' }, ['quality']),
  preset('video', 'convert-video', 'webm-to-mp4', ['webm'], 'mp4', { format: 'mp4' }, ['quality']),
  preset('video', 'convert-video', 'mkv-to-mp4', ['mkv'], 'mp4', { format: 'mp4' }, ['quality']),
  preset('video', 'convert-video', 'avi-to-mp4', ['avi'], 'mp4', { format: 'mp4' }, ['quality']),
  preset('video', 'convert-video', 'mp4-to-mov', ['mp4'], 'mov', { format: 'mov' }, ['quality']),
  preset('video', 'convert-video', 'mp4-to-webm', ['mp4'], 'webm', { format: 'webm' }, ['quality']),
  preset('video', 'convert-video', 'webm-to-mov', ['webm'], 'mov', { format: 'mov' }, ['quality']),
  preset('video', 'convert-video', 'mkv-to-mov', ['mkv'], 'mov', { format: 'mov' }, ['quality']),
  preset('video', 'convert-video', 'avi-to-mov', ['avi'], 'mov', { format: 'mov' }, ['quality']),
  preset('video', 'convert-video', 'mp4-to-avi', ['mp4'], 'avi', { format: 'avi' }, ['quality']),
  preset('video', 'convert-video', 'mov-to-avi', ['mov'], 'avi', { format: 'avi' }, ['quality']),
  preset('video', 'convert-video', 'mkv-to-avi', ['mkv'], 'avi', { format: 'avi' }, ['quality']),
  preset('video', 'convert-video', 'avi-to-mkv', ['avi'], 'mkv', { format: 'mkv' }, ['quality']),
  preset('video', 'video-to-gif', 'mp4-to-gif', ['mp4'], 'gif', {}, ['fps', 'width', 'startS', 'durationS']),
  preset('video', 'video-to-gif', 'mov-to-gif', ['mov'], 'gif', {}, ['fps', 'width', 'startS', 'durationS']),
  preset('video', 'video-to-gif', 'mkv-to-gif', ['mkv'], 'gif', {}, ['fps', 'width', 'startS', 'durationS']),
  preset('video', 'video-to-gif', 'avi-to-gif', ['avi'], 'gif', {}, ['fps', 'width', 'startS', 'durationS']),
]
