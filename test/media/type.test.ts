import { expect, test } from 'vitest'
import {
  AUDIO_EXTENSIONS,
  FILE_TYPES,
  IMAGE_EXTENSIONS,
  mimeOf,
  typeById,
  typeOfName,
  VIDEO_EXTENSIONS,
} from '../../src/media/type.ts'

test('ids and extensions are unique, and every id is its own first extension', () => {
  const extensions = FILE_TYPES.flatMap((type) => type.extensions)
  expect(new Set(extensions).size).toBe(extensions.length)
  for (const type of FILE_TYPES) {
    expect(type.extensions[0]).toBe(type.id)
    expect(type.mime).toMatch(/^[a-z]+\/[a-z0-9.+-]+$/)
    expect(typeById(type.id)).toBe(type)
  }
})

test('the lists contain what the tools must accept, and no type that is only recognised', () => {
  const image =
    'jpg jpeg png webp gif bmp tiff tif avif heic heif svg svgz ico jxl jp2 psd tga exr hdr dng cr2 nef arw orf rw2 ppm pgm pbm qoi dds fits dpx apng cur eps'
  const video = 'mp4 mov webm mkv avi m4v mts m2ts 3gp flv wmv mpg mpeg ts ogv mxf'
  const audio = 'mp3 wav flac aac m4a ogg opus wma aiff amr ac3'
  expect(IMAGE_EXTENSIONS).toEqual(expect.arrayContaining(image.split(' ')))
  expect([...VIDEO_EXTENSIONS].sort()).toEqual(video.split(' ').sort())
  expect(AUDIO_EXTENSIONS).toEqual(expect.arrayContaining(audio.split(' ')))
  for (const extension of ['cr3', 'raf', 'pef', 'psb', 'xcf']) expect(IMAGE_EXTENSIONS).not.toContain(extension)
})

test('names: the last extension counts, case-insensitively', () => {
  expect(typeOfName('/a.b/Photo.JPEG')?.id).toBe('jpg')
  expect(typeOfName('scan.tif')?.id).toBe('tiff')
  expect(typeOfName('archive.tar.gz')?.id).toBe('gz')
  expect(typeOfName('no-extension')).toBeUndefined()
  expect(typeOfName('file.unheard-of')).toBeUndefined()
  expect(typeOfName('file.')).toBeUndefined()
})

test.each([
  ['jpeg', 'image/jpeg'],
  ['.SVG', 'image/svg+xml'],
  ['heif', 'image/heif'],
  ['m4v', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['mkv', 'video/x-matroska'],
  ['mts', 'video/mp2t'],
  ['m4a', 'audio/mp4'],
  ['aiff', 'audio/aiff'],
  ['nothing', 'application/octet-stream'],
  ['empty', 'application/octet-stream'],
])('%s is %s', (name, mime) => {
  expect(mimeOf(name)).toBe(mime)
})
