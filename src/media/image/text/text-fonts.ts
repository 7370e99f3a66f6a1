/** A weight of a bundled font family. */
export interface TextFace {
  family: string
  /** 400 regular, 700 bold, 900 black: if available in the family. */
  weight: 400 | 700 | 900
  /** Set if Chinese characters are to use the regional form of another country. */
  language?: 'ja' | 'ko' | undefined
}

/**
 * Fonts by setting name. Arial Black and Comic Sans are not free: these names use Montserrat Black and Comic Neue. No
 * serif font is bundled: that name uses Noto Sans on every machine.
 */
const FACES: Readonly<Record<string, TextFace>> = {
  'sans-serif': { family: 'Noto Sans', weight: 400 },
  serif: { family: 'Noto Sans', weight: 400 },
  monospace: { family: 'Noto Sans Mono', weight: 400 },
  anton: { family: 'Anton', weight: 400 },
  'arial-black': { family: 'Montserrat', weight: 900 },
  'comic-sans': { family: 'Comic Neue', weight: 700 },
  montserrat: { family: 'Montserrat', weight: 700 },
  'bebas-neue': { family: 'Bebas Neue', weight: 400 },
  'permanent-marker': { family: 'Permanent Marker', weight: 400 },
  roboto: { family: 'Roboto', weight: 400 },
}

/** Font names available in text tools (catalogue: watermark-text, text-overlay). */
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

/** Heavy display fonts: letters that they lack are drawn bold in the fallback font. */
const HEAVY = ['Anton', 'Bebas Neue', 'Permanent Marker']

/**
 * The face for the name of a setting (`comic-sans`) or of a family ('DejaVu Serif', if installed). Unknown names fall
 * back to Noto Sans.
 */
export function textFace(font: string, bold = false): TextFace {
  const face = FACES[font.toLowerCase()] ?? { family: font, weight: 400 }
  return bold && face.weight < 700 ? { ...face, weight: 700 } : face
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const HANGUL = /\p{Script=Hangul}/u
const HAN_FAMILIES = { ja: 'Noto Sans JP', ko: 'Noto Sans KR' } as const

/**
 * The face for a whole text. Chinese characters look different in Japan and Korea, which is detected from the other
 * letters.
 */
export function faceFor(face: TextFace, text: string): TextFace {
  return { ...face, language: KANA.test(text) ? 'ja' : HANGUL.test(text) ? 'ko' : undefined }
}

/** Pango settings: the families in order, the weight, and the language, which never comes from the machine's locale. */
export function pangoFont({ family, weight, language }: TextFace): { face: string; weight: number; lang: string } {
  const families = language ? [family, 'Noto Sans', HAN_FAMILIES[language]] : [family]
  return { face: families.join(','), weight: HEAVY.includes(family) ? 700 : weight, lang: language ?? 'en' }
}
