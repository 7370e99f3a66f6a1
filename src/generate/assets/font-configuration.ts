/** Families that every text falls back on, the general ones first; all are in the package. */
const FALLBACK = [
  'Noto Sans',
  'Noto Sans Arabic',
  'Noto Sans Hebrew',
  'Noto Sans Thai',
  'Noto Sans SC',
  'Noto Sans JP',
  'Noto Sans KR',
  'Roboto',
  'Noto Color Emoji',
]

/** Names that stand for 'any font', or for fonts that not every machine has. */
const GENERIC = ['sans-serif', 'serif', 'system-ui', 'cursive', 'fantasy', 'Arial', 'Helvetica']

/** Names that stand for any font whose letters are equally wide. */
const MONOSPACED = ['monospace', 'ui-monospace', 'Courier', 'Courier New']

/** Families that are shipped in one weight: bold is drawn from it. */
const SINGLE_WEIGHT = ['Noto Sans SC', 'Noto Sans JP', 'Noto Sans KR']

const SYSTEM_FOLDERS = [
  '<dir>/usr/share/fonts</dir>',
  '<dir>/usr/local/share/fonts</dir>',
  '<dir prefix="xdg">fonts</dir>',
  '<dir>~/.fonts</dir>',
  '<dir>/System/Library/Fonts</dir>',
  '<dir>/Library/Fonts</dir>',
]

const alias = (family: string, preferred: string): string =>
  `  <alias binding="same"><family>${family}</family><prefer><family>${preferred}</family></prefer></alias>`

const embolden = (family: string): string =>
  `  <match target="font">
    <test name="family"><string>${family}</string></test>
    <test name="weight" compare="less_eq"><const>medium</const></test>
    <test target="pattern" name="weight" compare="more_eq"><const>bold</const></test>
    <edit name="embolden" mode="assign"><bool>true</bool></edit>
  </match>`

/**
 * The fontconfig settings: our fonts first, so that text looks alike on every machine; then the machine's, for scripts
 * that we do not ship. Our families are bound as strongly as the one that was asked for: weaker ones come after every
 * font of the system that knows the language of the text.
 */
export function fontConfiguration(): string {
  const appended = FALLBACK.map((family) => `<string>${family}</string>`).join('')
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  ${SYSTEM_FOLDERS.join('\n  ')}
  <cachedir prefix="xdg">mediaproc-fontconfig</cachedir>
${GENERIC.map((family) => alias(family, 'Noto Sans')).join('\n')}
${MONOSPACED.map((family) => alias(family, 'Noto Sans Mono')).join('\n')}
${alias('emoji', 'Noto Color Emoji')}
  <match target="pattern"><edit name="family" mode="append_last" binding="strong">${appended}</edit></match>
${SINGLE_WEIGHT.map(embolden).join('\n')}
</fontconfig>
`
}
