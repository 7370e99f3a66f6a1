/** One cut of a family that comes with the program. */
export interface TextFace {
  family: string
  /** 400 regular, 700 bold, 900 black: as far as the family has it. */
  weight: 400 | 700 | 900
  /** Where Chinese characters are to have the form of another country. */
  language?: 'ja' | 'ko' | undefined
}

/**
 * Fonts by the names that settings use. Arial Black and Comic Sans are not free: the old names draw Montserrat Black and
 * Comic Neue. There is no serif and no monospaced font in the package: those names draw Noto Sans, on every machine.
 */
const FACES: Readonly<Record<string, TextFace>> = {
  'sans-serif': { family: 'Noto Sans', weight: 400 },
  serif: { family: 'Noto Sans', weight: 400 },
  monospace: { family: 'Noto Sans', weight: 400 },
  anton: { family: 'Anton', weight: 400 },
  'arial-black': { family: 'Montserrat', weight: 900 },
  'comic-sans': { family: 'Comic Neue', weight: 700 },
  montserrat: { family: 'Montserrat', weight: 700 },
  'bebas-neue': { family: 'Bebas Neue', weight: 400 },
  'permanent-marker': { family: 'Permanent Marker', weight: 400 },
  roboto: { family: 'Roboto', weight: 400 },
}

/** Names of the fonts that text tools offer (catalogue: watermark-text, text-overlay). */
export const TEXT_FONTS = [
  'sans-serif',
  'serif',
  'monospace',
  'anton',
  'arial-black',
  'comic-sans',
  'montserrat',
  'bebas-neue',
  'permanent-marker',
  'roboto',
] as const

/** Heavy display fonts: letters that they lack are drawn bold too. */
const HEAVY = ['Anton', 'Bebas Neue', 'Permanent Marker']

/**
 * The face of a font by the name of a setting (`comic-sans`) or of a family ('DejaVu Serif', when the machine has it).
 * What nobody has is drawn in Noto Sans.
 */
export function textFace(font: string, bold = false): TextFace {
  const face = FACES[font.toLowerCase()] ?? { family: font, weight: 400 }
  return bold && face.weight < 700 ? { ...face, weight: 700 } : face
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const HANGUL = /\p{Script=Hangul}/u
const HAN_FAMILIES = { ja: 'Noto Sans JP', ko: 'Noto Sans KR' } as const

/**
 * The face for a whole text. Chinese characters look different in Japan and Korea; that text is from there is seen by its
 * other letters.
 */
export function faceFor(face: TextFace, text: string): TextFace {
  return { ...face, language: KANA.test(text) ? 'ja' : HANGUL.test(text) ? 'ko' : undefined }
}

/**
 * What Pango is to use: the families in order, the weight, and the language, which is never that of the machine's own
 * settings.
 */
export function pangoFont({ family, weight, language }: TextFace): { face: string; weight: number; lang: string } {
  const families = language ? [family, 'Noto Sans', HAN_FAMILIES[language]] : [family]
  return { face: families.join(','), weight: HEAVY.includes(family) ? 700 : weight, lang: language ?? 'en' }
}
