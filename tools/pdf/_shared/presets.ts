import { type PresetRow, preset } from '../../../src/tool/preset.ts'

/** One row for each preset of this section whose base tool is implemented. */
export const presets: readonly PresetRow[] = [
  preset('pdf', 'pdf-to-image', 'pdf-to-jpg', ['pdf'], 'jpg', { format: 'jpg' }, [
    'dpi',
    'quality',
    'colorMode',
    'pages',
  ]),
  preset('pdf', 'pdf-to-image', 'pdf-to-png', ['pdf'], 'png', { format: 'png' }, [
    'dpi',
    'quality',
    'colorMode',
    'pages',
  ]),
  preset('pdf', 'pdf-to-image', 'pdf-to-tiff', ['pdf'], 'tiff', { format: 'tiff' }, [
    'dpi',
    'quality',
    'colorMode',
    'pages',
  ]),
  preset('pdf', 'compress-pdf', 'compress-pdf-to-100kb', ['pdf'], 'pdf', { mode: 'targetSize', targetSizeKb: 100 }),
  preset('pdf', 'compress-pdf', 'compress-pdf-to-200kb', ['pdf'], 'pdf', { mode: 'targetSize', targetSizeKb: 200 }),
  preset('pdf', 'compress-pdf', 'compress-pdf-to-500kb', ['pdf'], 'pdf', { mode: 'targetSize', targetSizeKb: 500 }),
  preset('pdf', 'compress-pdf', 'compress-pdf-to-1mb', ['pdf'], 'pdf', { mode: 'targetSize', targetSizeKb: 1000 }),
  preset('pdf', 'compress-pdf', 'compress-pdf-to-2mb', ['pdf'], 'pdf', { mode: 'targetSize', targetSizeKb: 2000 }),
]
