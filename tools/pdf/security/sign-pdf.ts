import { loadMupdf, type PDFObject, withMupdfErrors } from '../../../src/engines/mupdf.ts'
import { MediaprocError } from '../../../src/errors.ts'
import type { MediaFile } from '../../../src/media/file.ts'
import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import { framePicture } from '../../../src/media/pdf/image/picture.ts'
import { PictureObjects } from '../../../src/media/pdf/image/picture-objects.ts'
import { type PicturePlacement, placePicture } from '../../../src/media/pdf/image/place-picture.ts'
import { separatePages } from '../../../src/media/pdf/page/page-tree.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { group, integer, list, number } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

/** Maximum number of images per run; each is a separate option. */
const MAX_PICTURES = 10

const PICTURES = Object.fromEntries(
  Array.from({ length: MAX_PICTURES }, (_, index) => [
    `sig${index}`,
    {
      required: index === 0,
      what: index === 0 ? 'the image of a signature' : 'another image',
      accept: ['image'],
    },
  ]),
)

export default pdfTool({
  id: 'sign-pdf',
  summary: 'Stamp signature images onto pages of a PDF',
  suffix: 'signed',
  input: { files: 'one', min: 1, max: 1, accept: ['pdf'], secondary: PICTURES },
  settings: {
    placements: list(
      group(
        {
          sig: integer('the image: N of sigN', { required: true, min: 0 }),
          page: integer('the page, counted from 0', { required: true, min: 0 }),
          x: number('left edge, as a share of the displayed width', { required: true, min: -2, max: 2 }),
          y: number('top edge, as a share of the displayed height', { required: true, min: -2, max: 2 }),
          w: number('width, as a share of the page width', { required: true, min: 0, max: 4 }),
          h: number('height, as a share of the page height', { required: true, min: 0, max: 4 }),
        },
        'an image on a page, stretched to the box',
      ),
      'positions of the images, drawn in this order',
      {
        required: true,
        minLength: 1,
        maxLength: 100,
        example: [{ sig: 0, page: 0, x: 0.6, y: 0.85, w: 0.3, h: 0.08 }],
      },
    ),
  },
  batch: false,
  timeoutS: 120,
  engines: ['mupdf', 'sharp'],
  examples: [
    {
      title: 'at the lower right of the first page',
      secondary: { sig0: 'holiday.jpg' },
      settings: { placements: [{ sig: 0, page: 0, x: 0.6, y: 0.85, w: 0.3, h: 0.08 }] },
    },
  ],
  async edit(document, { placements }, { secondary, warn }) {
    const used = [...new Set(placements.map(({ sig }) => sig))]
    for (const sig of used)
      if (!secondary[`sig${sig}`])
        throw invalidSettings(`A placement refers to image ${sig}, but there is no --sig${sig}`)
    const outside = placements.find(({ page }) => page >= document.pageCount)
    if (outside) {
      const sentence = `Page ${outside.page} (counted from 0) does not exist: the document has ${document.pageCount} pages`
      throw new MediaprocError('TARGET_UNREACHABLE', sentence)
    }
    const mupdf = await loadMupdf()
    const objects = new PictureObjects(document.pdf)
    const pictures = new Map<number, PDFObject>()
    for (const sig of used) pictures.set(sig, objects.add(await pictureOf(secondary[`sig${sig}`]!, warn)))
    withMupdfErrors('PROCESSING_FAILED', 'The images could not be placed on the pages', () => {
      separatePages(document.pdf)
      for (const { sig, page, ...box } of placements)
        placePicture(mupdf, document, page + 1, pictures.get(sig)!, box satisfies PicturePlacement)
    })
    return document
  },
})

async function pictureOf(file: MediaFile, warn: (message: string) => void) {
  if (file.type.id === 'svg')
    throw new MediaprocError('UNSUPPORTED_FILE_TYPE', 'A signature must be a raster image, and this is an SVG', {
      hint: { shell: 'Convert it to PNG first: mediaproc image convert.', http: 'Convert it to PNG first.' },
    })
  return framePicture(await decodeImage(file, { firstPage: true, warn }))
}
