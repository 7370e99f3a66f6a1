/** The guarantees of every image tool in the registry: covers a new tool without a line here. */
import { replaceModel } from '../../../src/models/store/installed.ts'
import { loadTool, scanTools } from '../../../src/tool/registry.ts'
import { useSmallCanvases } from '../../helpers/collage-canvases.ts'
import { seesLandmarks, seesOneFace } from '../../helpers/faces.ts'
import { useModelStubs } from '../../helpers/model-stubs.ts'
import { stubModel } from '../../helpers/models.ts'
import { missingEngines, skipFor } from '../../helpers/promises/engines.ts'
import { describeImageTool, type ImageToolOptions } from '../../helpers/promises/image-tool.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const SRGB = 'it works in sRGB and writes sRGB'
const SHEET = 'pictures of several depths and colours go on one sheet'
const GROUND = 'the ground is opaque unless asked otherwise'
const UNREAD = 'the file is passed on without being decoded'
const PASSED_ON = { upright: UNREAD, untagged: UNREAD }
const ONE_COLOUR = 'a picture of one colour has no subject'
const NOT_FOUND = 'a file in which nothing is found is passed on as it is'

/** A face in the middle of every picture: the tool refuses pictures without faces. */
const ONE_FACE = {
  put(folder: string): void {
    const head = {
      eyes: { left: { x: 26, y: 14 }, right: { x: 20, y: 14 } },
      chin: { x: 23, y: 25 },
      nose: { x: 23, y: 18 },
    }
    stubModel(folder, 'yunet-2023mar', seesOneFace({ ...head, crown: 4 }))
    stubModel(folder, 'openseeface-lm66', seesLandmarks({ ...head, crown: 4 }, { width: 48, height: 32 }))
  },
  takeAway(): void {
    replaceModel('yunet-2023mar', undefined)
    replaceModel('openseeface-lm66', undefined)
  },
}

/** The trial pictures are PNG. */
const ONLY_JPEG = { 'lossless=true': 'TARGET_UNREACHABLE' }

/** What a declaration does not contain, and what a tool does not guarantee, with the reason. */
const OPTIONS: Readonly<Record<string, ImageToolOptions>> = {
  'ai-canvas-expand': {
    settings: { extendRight: 12, extendTop: 3, tier: 'fast' },
    refused: { 'tier=balanced': 'FEATURE_NOT_INSTALLED', 'tier=high': 'FEATURE_NOT_INSTALLED' },
  },
  'barcode-generate': {
    beside: {
      'type=upca': { text: '03600029145' },
      'type=itf14': { text: '1540014128876' },
      'type=ean13': { text: '590123412345' },
    },
  },
  'background-replace': { except: { alpha: GROUND, tiny: ONE_COLOUR } },
  beautify: { except: { alpha: GROUND } },
  'blur-background': { except: { tiny: ONE_COLOUR } },
  'blur-faces': { except: { upright: NOT_FOUND, untagged: NOT_FOUND } },
  'bulk-rename': { except: PASSED_ON },
  collage: { except: { depth: 'the canvas has 8 bit', profile: SRGB } },
  colorize: {
    except: { profile: SRGB, animation: 'colours that are guessed would flicker' },
    refused: { 'model=ddcolor': 'FEATURE_NOT_INSTALLED' },
  },
  'color-blindness': { except: { profile: SRGB } },
  compare: { except: { depth: 'what differs is drawn, in 8 bit', profile: SRGB } },
  compress: { refused: ONLY_JPEG },
  crop: {
    settings: { left: 25, top: 25, width: 50, height: 50, unit: 'percent' },
    beside: { 'unit=px': { left: 0, top: 0, width: 20, height: 10 } },
    refused: ONLY_JPEG,
  },
  duotone: { except: { profile: SRGB, alpha: 'the catalogue: alpha is dropped' } },
  'edit-metadata': {
    beside: { gpsLatitude: { gpsLongitude: 0 }, gpsLongitude: { gpsLatitude: 0 } },
    except: PASSED_ON,
    blindTo: {
      'the first half of a file': 'only metadata is read and written',
      'a file that ends in its header': 'only metadata is read and written',
    },
  },
  favicon: { except: { depth: 'icons are of 8 bit', profile: SRGB } },
  'gif-webp': { blindTo: { 'the first half of a file': 'half a still WebP cannot be shown, and is refused' } },
  'gif-tools': {
    animated: true,
    beside: { 'action=rotate': { angle: 90 }, position: { text: 'x' } },
    apart: { turned: 3 },
  },
  'html-to-image': {
    settings: { html: '<h1>Hello</h1>' },
    beside: { viewportWidth: { devicePreset: 'custom' }, viewportHeight: { devicePreset: 'custom' } },
  },
  histogram: { except: { depth: 'a chart is drawn', profile: 'a chart is drawn' } },
  'image-enhancement': { except: { profile: SRGB } },
  'image-pad': { except: { alpha: GROUND } },
  'image-to-base64': {
    blindTo: { 'a file that ends in its header': 'the report names it, together with the readable ones' },
  },
  'lqip-placeholder': { except: { profile: SRGB, animation: 'a placeholder is a still picture' }, apart: { inks: 6 } },
  'optimize-for-web': { except: { profile: SRGB } },
  'passport-photo': {
    models: ONE_FACE,
    except: { profile: SRGB, tiny: 'one pixel is no portrait' },
  },
  // A picture written as JPEG here becomes PNG, and so upright.
  'red-eye-removal': { except: { upright: NOT_FOUND } },
  'remove-background': {
    beside: { 'backgroundType=gradient': { gradientColor1: '#ffffff', gradientColor2: '#000000' } },
    refused: { 'backgroundType=image': 'INVALID_SETTINGS' },
    except: { tiny: ONE_COLOUR },
  },
  'remove-gif-background': {
    animated: true,
    beside: { 'backgroundType=gradient': { gradientColor1: '#ffffff', gradientColor2: '#000000' } },
    refused: { 'backgroundType=image': 'INVALID_SETTINGS' },
    except: { profile: SRGB },
  },
  'replace-color': { except: { profile: SRGB } },
  'restore-photo': { except: { profile: SRGB, animation: 'a photograph is a still picture' } },
  'smart-crop': {
    except: { animation: 'what draws the eye differs from frame to frame' },
  },
  'svg-to-raster': { blindTo: { 'the first half of a file': 'half a drawing is refused' } },
  rotate: { refused: ONLY_JPEG },
  split: { except: { tiny: 'one pixel cannot be cut' } },
  'sprite-sheet': { except: { profile: SHEET, alpha: GROUND } },
  stitch: { except: { profile: SHEET, alpha: GROUND } },
  'strip-metadata': {
    except: {
      profile: 'it is metadata; the colours are kept',
      upright: 'pixels are not touched: the tag that turns them is all that stays',
      untagged: 'pixels are not touched: the tag that turns them is all that stays',
    },
  },
  'transparency-fixer': { except: { tiny: ONE_COLOUR } },
}

useSmallCanvases()
useModelStubs(temporaryFolder())

for (const entry of await scanTools()) {
  if (entry.section !== 'image' || entry.base) continue
  const tool = await loadTool(entry)
  const missing = await missingEngines(tool)
  if (missing.length > 0) skipFor(tool, missing)
  else describeImageTool(tool, OPTIONS[entry.id])
}
