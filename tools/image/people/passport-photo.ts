import { MediaprocError } from '../../../src/errors.ts'
import { encodeToBuffer } from '../../../src/media/image/encode/encode.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { oneFile } from '../../../src/tool/contract.ts'
import { imageAction, imageTool } from '../../../src/tool/image-tool.ts'
import { choice, color, group, number, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { cleared } from '../_shared/layers/cleared.ts'
import { analysed } from './passport-photo/analyse.ts'
import { COUNTRIES } from './passport-photo/countries.ts'
import { toParts, toPixels } from './passport-photo/landmarks.ts'
import { makePhoto, photoReport } from './passport-photo/make-photo.ts'
import { checkDocument, documentRules } from './passport-photo/rules.ts'

/** Maximum width of an analysis preview, px (catalogue). */
const PREVIEW_WIDTH = 800

const part = { x: number('across', { required: true }), y: number('down', { required: true }) }
const place = (what: string) => group(part, what, { required: true })

const LANDMARKS = group(
  {
    leftEye: place("the person's left eye"),
    rightEye: place('the right eye'),
    eyeCenter: place('the midpoint between the eyes'),
    chin: place('bottom of the head'),
    forehead: place('top of the face'),
    crown: place('top of the head'),
    nose: place('tip of the nose'),
    faceCenterX: number('centre of the face', { required: true }),
  },
  "places of the head, as analyze answers them, as parts of the picture's size",
  { required: true },
)

const SETTINGS = {
  countryCode: text(`country whose rules apply, two letters: ${Object.keys(COUNTRIES).sort().join(', ')}`, {
    required: true,
    maxLength: 100,
    aliases: ['country'],
    example: 'US',
  }),
  documentType: text('document type', { default: 'passport', maxLength: 100 }),
  printLayout: choice(['none', '4x6', 'a4', 'letter'], 'a printable sheet of copies, in addition to the photo', {
    default: 'none',
  }),
  maxFileSizeKb: number('maximum file size, reached by lowering the quality; 0 for no limit', {
    default: 0,
    min: 0,
    unit: 'kB',
  }),
  dpi: number('pixels per inch', { default: 300, min: 72, max: 1200, unit: 'dpi' }),
  customWidthMm: number('custom width instead of that of the rules', {
    group: 'Size',
    exclusiveMin: 0,
    max: 1000,
    unit: 'mm',
    example: 40,
  }),
  customHeightMm: number('custom height instead of that of the rules', {
    group: 'Size',
    exclusiveMin: 0,
    max: 1000,
    unit: 'mm',
    example: 50,
  }),
  zoom: number('above 1 shows the head larger', { group: 'Position', default: 1, min: 0.5, max: 3 }),
  adjustX: number('move the frame right by this share of the image width', {
    group: 'Position',
    default: 0,
    min: -1,
    max: 1,
  }),
  adjustY: number('move the frame down by this share of the image height', {
    group: 'Position',
    default: 0,
    min: -1,
    max: 1,
  }),
} as const

const JPEG = { kind: 'file+report', type: { is: 'jpg' } } as const

async function previewOf(
  cutOut: ImageFrame,
): Promise<{ preview: string; previewWidth: number; previewHeight: number }> {
  const factor = Math.min(1, PREVIEW_WIDTH / cutOut.width)
  const width = Math.round(cutOut.width * factor)
  const height = Math.max(1, Math.round(cutOut.height * factor))
  const small =
    factor === 1
      ? cutOut
      : await cutOut.apply((image) => image.resize({ width, height, fit: 'fill' }), { size: { width, height } })
  const bytes = await encodeToBuffer(small.withTarget({ format: 'png', metadata: 'none' }))
  return { preview: bytes.toString('base64'), previewWidth: width, previewHeight: height }
}

export default imageTool({
  id: 'passport-photo',
  summary: 'Make a passport photo by the rules of a country, with a sheet to print',
  suffix: 'passport',
  bundles: ['background-removal', 'face-detection'],
  settings: {
    ...SETTINGS,
    bgColor: color("background colour; by default the country's, mostly white", {
      default: '#ffffff',
      filledByTool: true,
    }),
  },
  output: JPEG,
  timeoutS: 300,
  heavy: true,
  overHttp: false,
  examples: [
    { title: 'for the United States', inputs: ['portrait.jpg'], settings: { countryCode: 'US' } },
    {
      title: 'for Germany, with a sheet of copies',
      inputs: ['portrait.jpg'],
      settings: { countryCode: 'DE', printLayout: '4x6' },
    },
  ],
  check: checkDocument,
  async produce([picture], settings, context) {
    const { cutOut, head, warnings } = await analysed(await picture.open(), context)
    const document = documentRules(settings)
    const options = { ...settings, bgColor: settings.bgColor ?? document.rules.bgColor }
    const photo = await makePhoto(cutOut, head, document, options, picture.name)
    const said = [...warnings, ...photo.warnings]
    for (const sentence of said) context.warn(sentence)
    return {
      ...photo.made,
      report: ([written]) => {
        const isMet = written!.targetMet ?? true
        const tooLarge = `The file has more than ${settings.maxFileSizeKb} kB even at the lowest quality`
        if (!isMet) context.warn(tooLarge)
        return photoReport(photo, document, settings, isMet ? said : [...said, tooLarge], written!)
      },
    }
  },
  actions: [
    imageAction({
      id: 'analyze',
      summary: 'Detect the head of a portrait and cut the person out, for a later generate',
      input: oneFile('image'),
      naming: { suffix: 'nobg' },
      sync: true,
      settings: {},
      output: { kind: 'file+report', type: { is: 'png' } },
      async produce([picture], _settings, context) {
        const { cutOut: found, head, model, warnings } = await analysed(await picture.open(), context)
        const cutOut = await cleared(found)
        for (const sentence of warnings) context.warn(sentence)
        const { width: imageWidth, height: imageHeight } = cutOut
        const facts = {
          filename: picture.name,
          landmarks: toParts(head, cutOut),
          imageWidth,
          imageHeight,
          model,
          warnings,
        }
        return {
          frame: cutOut.withTarget({ format: 'png', metadata: 'none' }),
          report: { ...facts, ...(await previewOf(cutOut)) },
          lines: [JSON.stringify(facts)],
        }
      },
    }),
    imageAction({
      id: 'generate',
      summary: 'Create the photo from a previously analysed portrait, without a model',
      input: oneFile('image'),
      bundles: [],
      body: 'json',
      sync: true,
      fromJob: {
        files: { file: 'nobg.png' },
        gone: {
          code: 'PROCESSING_FAILED',
          message: 'The analysis is not kept any more',
          hint: 'Send the picture to passport-photo/analyze again.',
        },
      },
      settings: {
        ...SETTINGS,
        bgColor: color('the background', { default: '#ffffff' }),
        landmarks: LANDMARKS,
        imageWidth: number('width of the image, as returned by analyze', { required: true, unit: 'px' }),
        imageHeight: number('height of the image, as returned by analyze', { required: true, unit: 'px' }),
      },
      check: (settings) => void documentRules(settings),
      output: JPEG,
      async produce([picture], settings, context) {
        const cutOut = await (await (await picture.open()).firstPage()).settled()
        const { width, height } = cutOut
        const { imageWidth, imageHeight, landmarks, maxFileSizeKb } = settings
        if (imageWidth !== width || imageHeight !== height)
          throw invalidSettings(`imageWidth, imageHeight: the image has ${width} x ${height} pixels`)
        const document = documentRules(settings)
        const photo = await makePhoto(cutOut, toPixels(landmarks, cutOut), document, settings, picture.name)
        for (const sentence of photo.warnings) context.warn(sentence)
        return {
          ...photo.made,
          report: ([written]) => {
            if (written!.targetMet === false)
              throw new MediaprocError('TARGET_UNREACHABLE', `The photo does not fit into ${maxFileSizeKb} kB`, {
                hint: 'Allow a larger file, or lower dpi.',
              })
            return photoReport(photo, document, settings, photo.warnings, written!)
          },
        }
      },
    }),
  ],
})
