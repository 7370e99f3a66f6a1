// The tools that accept a file, the settings used, and the properties that each tool changes on purpose.
import { tools } from '../../dist/src/index.js'
import { accepts } from '../../dist/src/job/accept.js'
import { openMediaFile } from '../../dist/src/media/file.js'

/**
 * Properties that a tool changes on purpose, by their names (see the facts of each media type). `all`: the output is
 * different content (a report, a chart, a picture of a code), so nothing can be compared.
 */
const SIZE = ['size', 'pixels']
const LOOK = ['pixels']
/** Tools that select some of the pages. */
const SELECTION = [
  ...['pages', 'words', 'page sizes', 'images', 'fonts', 'annotations', 'form fields', 'page labels', 'outline'],
]
/** An audio tool keeps only the audio of a video. */
const SOUND_ONLY = [
  'video streams',
  'subtitle streams',
  'picture labels',
  'subtitle labels',
  'attachments',
  'data streams',
  'timecode',
  'upright',
  'size',
]
/** Tools that convert a video to an animated picture. */
const PICTURES_ONLY = [
  ...[
    'size',
    'audio streams',
    'subtitle streams',
    'subtitle labels',
    'picture labels',
    'frame rate',
    'pixel format',
    'colour',
    'tags',
    'languages',
    'titles',
    'dispositions',
    'chapters',
  ],
]
export const ASKED = {
  'image/resize': SIZE,
  // The part that changes between frames may be cropped.
  'image/crop': [...SIZE, 'changes'],
  'image/smart-crop': SIZE,
  'image/content-aware-resize': SIZE,
  'image/rotate': SIZE,
  'image/border': SIZE,
  'image/image-pad': SIZE,
  'image/upscale': SIZE,
  'image/svg-to-raster': SIZE,
  'image/optimize-for-web': [...SIZE, 'metadata', 'profile', 'depth', 'density', 'dates'],
  'image/strip-metadata': ['metadata', 'dates', 'profile', 'density', 'pixels'],
  // Its PNGs have a palette, depending on the quality.
  'image/compress': ['depth'],
  // The catalogue requires all colours to be computed in sRGB.
  'image/color-blindness': [...LOOK, 'profile', 'cmyk'],
  'image/duotone': [...LOOK, 'profile', 'cmyk'],
  'image/edit-metadata': ['metadata', 'dates'],
  'image/convert': [],
  'image/gif-webp': [],
  'image/bulk-rename': [],
  // New content: sheets, icons, previews, reports, text.
  'image/beautify': ['all'],
  'image/circle-crop': ['all'],
  'image/collage': ['all'],
  'image/compare': ['all'],
  'image/compose': ['all'],
  'image/favicon': ['all'],
  'image/gif-tools': SIZE,
  'image/histogram': ['all'],
  'image/lqip-placeholder': ['all'],
  'image/meme-generator': ['all'],
  'image/ocr': ['all'],
  'image/passport-photo': ['all'],
  'image/split': ['all'],
  'image/sprite-sheet': ['all'],
  'image/stitch': ['all'],
  'image/vectorize': ['all'],
  'image/barcode-read': ['all'],
  'image/image-to-pdf': ['all'],

  'video/aspect-pad': ['size'],
  'video/blur-pad': ['size'],
  'video/crop-video': ['size'],
  'video/resize-video': ['size'],
  'video/rotate-video': ['size', 'upright'],
  'video/compress-video': ['size', 'bit rate'],
  'video/change-fps': ['frame rate'],
  'video/mute-video': ['audio streams', 'languages', 'titles', 'dispositions'],
  'video/extract-audio': [...SOUND_ONLY, 'cover'],
  'video/extract-subtitles': ['all'],
  'video/trim-video': ['duration', 'chapters'],
  'video/video-speed': ['duration'],
  'video/reverse-video': [],
  'video/replace-audio': ['audio streams', 'languages', 'titles', 'dispositions'],
  'video/video-to-frames': ['all'],
  'video/video-to-gif': PICTURES_ONLY,
  'video/video-to-webp': PICTURES_ONLY,
  'video/auto-subtitles': ['all'],
  'video/merge-videos': ['duration'],
  'video/images-to-video': ['all'],
  'video/video-metadata': [
    'tags',
    'languages',
    'titles',
    'dispositions',
    'picture labels',
    'subtitle labels',
    'timecode',
    'data streams',
  ],
  // Loudness measurements of the input.
  'video/video-loudnorm': ['tags'],
  'audio/normalize-audio': ['tags'],
  'audio/volume-adjust': ['tags'],

  'audio/audio-channels': ['channels'],
  'audio/audio-metadata': ['tags'],
  'audio/audio-speed': ['duration'],
  'audio/merge-audio': ['duration'],
  'audio/ringtone-maker': ['duration', 'cover', 'tags', 'chapters'],
  'audio/silence-removal': ['duration'],
  'audio/split-audio': ['all'],
  'audio/transcribe-audio': ['all'],
  'audio/trim-audio': ['duration', 'chapters'],
  'audio/waveform-image': ['all'],

  'pdf/booklet-pdf': ['pages', 'page sizes', 'page labels'],
  'pdf/crop-pdf': ['page sizes', 'words'],
  'pdf/extract-pages': SELECTION,
  'pdf/flatten-pdf': ['form fields', 'annotations', 'added words'],
  'pdf/merge-pdf': ['pages', 'images', 'added words', 'page labels', 'annotations', 'form fields', 'outline'],
  'pdf/multi-tool-pdf': SELECTION,
  'pdf/nup-pdf': ['pages', 'page sizes', 'page labels'],
  'pdf/ocr-pdf': ['all'],
  'pdf/organize-pdf': SELECTION,
  'pdf/pdf-metadata': ['metadata'],
  'pdf/pdf-page-numbers': ['added words', 'fonts'],
  'pdf/pdf-to-image': ['all'],
  'pdf/pdf-to-text': [],
  'pdf/pdf-to-word': [],
  'pdf/protect-pdf': ['encryption'],
  'pdf/unlock-pdf': ['encryption'],
  'pdf/redact-pdf': ['words', 'images', 'metadata', 'annotations', 'attachments', 'outline'],
  'pdf/remove-pages': SELECTION,
  'pdf/rotate-pdf': ['page sizes'],
  'pdf/sign-pdf': ['all'],
  'pdf/split-pdf': ['all'],
  'pdf/watermark-pdf': ['added words', 'fonts', 'images'],
  'pdf/grayscale-pdf': ['images'],
  'pdf/compress-pdf': ['images'],

  'files/chart-maker': ['all'],
  'files/split-csv': ['all'],
  'files/create-zip': ['all'],
}
for (const id of ['adjust-colors', 'image-enhancement', 'noise-removal', 'pixelate']) ASKED[`image/${id}`] = LOOK
for (const id of ['text-overlay', 'replace-color', 'sharpening', 'vignette', 'watermark-image', 'watermark-text'])
  ASKED[`image/${id}`] = LOOK
for (const id of ['transparency-fixer', 'remove-background', 'background-replace', 'blur-background', 'blur-faces'])
  ASKED[`image/${id}`] = ['pixels', 'alpha']
for (const id of [
  'restore-photo',
  'red-eye-removal',
  'colorize',
  'enhance-faces',
  'erase-object',
  'remove-gif-background',
])
  ASKED[`image/${id}`] = LOOK

// An audio tool with a video as input is expected to return its audio.
for (const { id, section } of tools())
  if (section === 'audio') ASKED[`audio/${id}`] = [...(ASKED[`audio/${id}`] ?? []), ...SOUND_ONLY]

const NUMBERED = { many: 2 }

/**
 * The tools and presets that accept this type, each with settings: its defaults, or those of its first example if it
 * requires any.
 * @param logo a picture for tools with a secondary input
 */
export async function toolsFor(path, logo, wanted) {
  const file = await openMediaFile(path).catch(() => undefined)
  if (!file || file.type.id === 'unknown') return { type: undefined, tries: [] }
  const tries = []
  for (const { id, section, base, input, settings, examples } of tools()) {
    const name = `${section}/${id}`
    const basis = base?.includes('/') ? base : base ? `${section}/${base}` : name
    if (wanted.length > 0 && !wanted.includes(name) && !wanted.includes(id)) continue
    if (input.files === 'none' || !accepts(input.accept, file)) continue
    const needs = Object.values(settings).some(({ required }) => required)
    const roles = Object.entries(input.secondary ?? {}).filter(([, { required }]) => required)
    const secondary = Object.fromEntries(roles.map(([role]) => [role, logo]))
    const count = Math.max(input.min, input.files === 'many' ? (NUMBERED[basis] ?? input.min) : 1)
    tries.push({
      name,
      basis,
      settings: needs ? (examples[0]?.settings ?? {}) : {},
      inputs: Array(count).fill(path),
      secondary,
    })
  }
  return { type: file.type, tries }
}
