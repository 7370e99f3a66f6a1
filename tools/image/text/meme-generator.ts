import { MediaprocError } from '../../../src/errors.ts'
import { openMediaFile } from '../../../src/media/file.ts'
import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import { type FoundTemplate, findMemeTemplate, memeTemplates } from '../../../src/media/image/decode/memes.ts'
import { formatOf } from '../../../src/media/image/encode/fit-to-format.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { extensionLike, outputName, suffixedName } from '../../../src/media/naming.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import type { SettingsOf } from '../../../src/tool/settings.ts'
import { boolean, choice, color, group, list, number, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { layOver, staysGrey } from '../_shared/layers/text-layer.ts'
import { drawCaptions, MEME_FONTS, TEXT_LAYOUTS } from './meme-generator/captions.ts'

const SETTINGS = {
  templateId: text('id or name of a template; takes precedence over a file', {
    group: 'Layout',
    label: 'Template',
    example: 'drake-hotline-bling',
  }),
  textLayout: choice(
    ['top-bottom', 'top-only', 'bottom-only', 'center', 'side-by-side'],
    'text positions without a template',
    {
      group: 'Layout',
      default: 'top-bottom',
    },
  ),
  textBoxes: list(
    group(
      {
        id: text('the box: top, bottom, or as the template names it', {
          label: 'Box',
          required: true,
          example: 'top',
        }),
        text: text('text of the box', { required: true, example: 'one does not simply' }),
      },
      'one text',
    ),
    'the texts',
    { default: [], group: 'Text' },
  ),
  fontFamily: choice(MEME_FONTS, 'font; unknown names use anton', {
    group: 'Text',
    default: 'anton',
    otherwise: 'anton',
  }),
  fontSize: number('font size; fitted to each box by default', {
    group: 'Text',
    min: 8,
    max: 200,
    unit: 'px',
    example: 64,
  }),
  textColor: color('text colour', { group: 'Text', default: '#ffffff' }),
  strokeColor: color('outline colour', { group: 'Text', default: '#000000' }),
  textAlign: choice(['left', 'center', 'right'], 'how lines are aligned in their box', {
    group: 'Text',
    default: 'center',
  }),
  allCaps: boolean('in capital letters', { group: 'Text', default: true }),
} as const

type Settings = SettingsOf<typeof SETTINGS>

/** Box aliases: older documentation has top and bottom for this template. */
const BOX_ALIASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'drake-hotline-bling': { top: 'reject', bottom: 'approve' },
}

/** Extensions of formats that a custom image keeps; others become png (catalogue). */
const KEPT = ['jpg', 'png', 'webp', 'gif']

function templateOf(id: string): FoundTemplate {
  const found = findMemeTemplate(id)
  if (found) return found
  const ids = memeTemplates().map((one) => one.id)
  throw invalidSettings(`There is no template ${id}`, `Templates: ${ids.join(', ')}.`)
}

async function captioned(
  frame: ImageFrame,
  template: FoundTemplate | undefined,
  settings: Settings,
  context: StepContext,
): Promise<ImageFrame> {
  const aliases = (template && BOX_ALIASES[template.id]) ?? {}
  const textBoxes = settings.textBoxes.map((one) => ({ ...one, id: aliases[one.id] ?? one.id }))
  const boxes = template?.textBoxes ?? TEXT_LAYOUTS[settings.textLayout]
  const captions = await drawCaptions(frame, boxes, { ...settings, textBoxes })
  if (captions.length === 0) return frame
  const shown = textBoxes.map((one) => one.text).join('')
  const grey = staysGrey(shown, settings.textColor, settings.strokeColor)
  return layOver(frame, captions, { opacity: 1, grey }, context)
}

export default imageTool({
  id: 'meme-generator',
  summary: 'Caption a template or an uploaded picture meme-style',
  body: 'multipart|json',
  batch: true,
  input: { files: 'one', min: 0, max: 1, accept: ['image'] },
  settings: SETTINGS,
  output: { kind: 'file', type: { same: ['jpg', 'png', 'webp', 'gif'], or: ['png'] } },
  examples: [
    {
      title: 'a template',
      inputs: [],
      settings: {
        templateId: 'drake-hotline-bling',
        textBoxes: [
          { id: 'reject', text: 'six web services' },
          { id: 'approve', text: 'one command' },
        ],
      },
    },
    {
      title: 'a picture of your own',
      inputs: ['photo.jpg'],
      settings: {
        fontSize: 96,
        textBoxes: [
          { id: 'top', text: 'one does not simply' },
          { id: 'bottom', text: 'leave the lake' },
        ],
      },
    },
    {
      title: 'another template, other letters',
      inputs: [],
      settings: {
        templateId: 'change-my-mind',
        fontFamily: 'permanent-marker',
        textColor: '#1f2937',
        strokeColor: '#ffffff',
        allCaps: false,
        textBoxes: [{ id: 'sign', text: 'Orientation is metadata. Change my mind.' }],
      },
    },
  ],
  check({ templateId }) {
    if (templateId !== undefined) templateOf(templateId)
  },
  async produce([picture], settings, context) {
    const template = settings.templateId === undefined ? undefined : templateOf(settings.templateId)
    const source = template && (await openMediaFile(template.path, template.filename))
    if (!source && !picture)
      throw new MediaprocError('NO_FILE', 'image/meme-generator needs a template or a picture', {
        hint: 'Name a template with templateId, or give a file.',
      })
    const drawn = await captioned(await (source ? decodeImage(source) : picture!.open()), template, settings, context)
    const frame = KEPT.includes(formatOf(drawn).extension) ? drawn : drawn.withTarget({ format: 'png' })
    const { extension } = formatOf(frame)
    if (!source) return { name: suffixedName(picture!, '', extensionLike(picture!, extension)), frame }
    const name = outputName(`meme-${template.id}`, '', extension)
    return { name, frame, report: { originalSize: source.bytes } }
  },
})
