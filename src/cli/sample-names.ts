/** Sample file names in examples, by the first accepted group or extension; created by `npm run samples`. */
export const SAMPLE_NAMES: Readonly<Record<string, string>> = {
  image: 'photo.jpg',
  video: 'clip.mp4',
  audio: 'tone.mp3',
  pdf: 'report.pdf',
  jpg: 'photo.jpg',
  mp4: 'clip.mp4',
  mp3: 'tone.mp3',
  wav: 'hum.wav',
  gif: 'animation.gif',
  svg: 'logo.svg',
  csv: 'people.csv',
  md: 'notes.md',
  html: 'page.html',
  xml: 'register.xml',
  json: 'members.json',
  xlsx: 'staff.xlsx',
  odt: 'letter.odt',
  epub: 'book.epub',
  docx: 'letter.odt',
  odp: 'slides.odp',
  pptx: 'slides.odp',
  zip: 'bundle.zip',
  png: 'drawing.png',
  webp: 'view.webp',
  tiff: 'scan.tiff',
  psd: 'layers.psd',
  eps: 'print.eps',
  heic: 'phone.heic',
  mov: 'cut.mov',
  avi: 'old.avi',
  webm: 'page.webm',
  mkv: 'film.mkv',
  m4a: 'memo.m4a',
  aac: 'stream.aac',
  ogg: 'call.ogg',
  flac: 'master.flac',
  '*': 'photo.jpg',
}

/** The files that examples read secrets from: passwords, terms and expressions to redact, values of a form. */
export const SAMPLE_PASSWORD_FILE = 'password.txt'
export const SAMPLE_TERMS_FILE = 'terms.txt'
export const SAMPLE_PATTERNS_FILE = 'patterns.txt'
export const SAMPLE_VALUES_FILE = 'values.json'

const SECRETS = new Map([
  ['terms', SAMPLE_TERMS_FILE],
  ['patterns', SAMPLE_PATTERNS_FILE],
  ['values', SAMPLE_VALUES_FILE],
])

/** The sample file for the secret setting of this name. */
export const sampleSecretFile = (setting: string): string => SECRETS.get(setting) ?? SAMPLE_PASSWORD_FILE
