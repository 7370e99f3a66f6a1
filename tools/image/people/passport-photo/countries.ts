/** An authority's requirements for the position of the head, as shares of the photo's height. */
interface Pose {
  /** From chin to crown. */
  headHeightMin: number
  headHeightMax: number
  /** Eye line above the lower edge. */
  eyeLineFromBottom: number
  /** Allowed range of the eye line; for most countries that of ISO/IEC 19794-5 (8.3.3) for a full frontal portrait. */
  eyeLineRange?: readonly [least: number, most: number]
}

/** ISO/IEC 19794-5: the eyes are at 0.3 to 0.5 of the height from the upper edge. */
export const EYE_LINE_RANGE = [0.5, 0.7] as const

/** An authority's requirements for the photo of a document. */
export interface PhotoRules extends Pose {
  label: string
  widthMm: number
  heightMm: number
  /** As specified by the authority; the actual resolution of a photo is a setting. */
  dpi: number
  headHeightMmMin: number
  headHeightMmMax: number
  /** The first of the accepted colours, #rrggbb. */
  bgColor: string
  /** Accepted background colours. */
  bgColors: readonly string[]
  /** The authority's page that gives these figures; absent if no readable one was found. */
  source?: string
}

export const REGIONS = ['americas', 'europe', 'asia', 'africa', 'oceania', 'middle-east'] as const

export interface Country {
  name: string
  region: (typeof REGIONS)[number]
  /** By document type; the first is the default for unknown types. */
  documents: Readonly<Record<string, PhotoRules>>
}

const LARGE: Pose = { headHeightMin: 0.7, headHeightMax: 0.8, eyeLineFromBottom: 0.63 }
const MIDDLE: Pose = { headHeightMin: 0.5, headHeightMax: 0.69, eyeLineFromBottom: 0.56 }

/** Head height (chin to crown) in millimetres, for a photo of a given height; the eye line as a share of it. */
const head = (
  least: number,
  most: number,
  heightMm: number,
  eyeLineFromBottom: number,
  eyeLineRange?: Pose['eyeLineRange'],
): Pose => ({
  headHeightMin: least / heightMm,
  headHeightMax: most / heightMm,
  eyeLineFromBottom,
  ...(eyeLineRange && { eyeLineRange }),
})

/** 32 to 36 mm of 45 mm, as most countries that follow ICAO (Doc 9303) specify; 70 % of 45 mm would be less. */
const ICAO = head(32, 36, 45, 0.63)

const [CREAM, WHITE, GREY, BLUE, RED] = ['#f5f0e1', '#ffffff', '#d4d4d4', '#bfdbfe', '#ef4444'] as const

const tenths = (millimetres: number): number => Math.round(millimetres * 10 + 1e-9) / 10

/** Rules for a photo of another size: relative values are kept. */
export function rulesFor(rules: Omit<PhotoRules, 'headHeightMmMin' | 'headHeightMmMax'>): PhotoRules {
  const { headHeightMin, headHeightMax, heightMm } = rules
  return {
    ...rules,
    headHeightMmMin: tenths(headHeightMin * heightMm),
    headHeightMmMax: tenths(headHeightMax * heightMm),
  }
}

/** A country with rules for passports only. */
function country(
  name: string,
  region: Country['region'],
  [widthMm, heightMm]: readonly [number, number],
  pose: Pose = LARGE,
  bgColors: readonly [string, ...string[]] = [WHITE],
  source?: string,
): Country {
  const size = { label: 'Passport', widthMm, heightMm, dpi: 300 }
  const passport = rulesFor({ ...size, ...pose, bgColor: bgColors[0], bgColors, ...(source && { source }) })
  return { name, region, documents: { passport } }
}

const USUAL = [35, 45] as const

/** By ISO 3166-1 alpha-2; EU for the European Union. */
export const COUNTRIES: Readonly<Record<string, Country>> = {
  BR: country('Brazil', 'americas', [50, 70], MIDDLE),
  CA: country(
    'Canada',
    'americas',
    [50, 70],
    head(31, 36, 70, 0.55),
    [WHITE],
    'https://www.canada.ca/en/immigration-refugees-citizenship/services/canadian-passports/photos.html',
  ),
  MX: country('Mexico', 'americas', USUAL),
  // The eyes are 1 1/8 to 1 3/8 inches above the lower edge of 2 inches (photo composition template of travel.state.gov).
  US: country(
    'United States',
    'americas',
    [51, 51],
    head(25, 35, 51, 0.62, [1.125 / 2, 1.375 / 2]),
    [WHITE],
    'https://bg.usembassy.gov/visas/nonimmigrant-visas/photo-requirements/',
  ),
  AT: country('Austria', 'europe', USUAL),
  BE: country('Belgium', 'europe', USUAL),
  CH: country('Switzerland', 'europe', USUAL),
  DE: country('Germany', 'europe', USUAL, ICAO, [GREY], 'https://dublin.diplo.de/ie-de/-/2339064'),
  DK: country('Denmark', 'europe', USUAL),
  ES: country('Spain', 'europe', [26, 32]),
  EU: country('European Union', 'europe', USUAL, LARGE, [WHITE, GREY]),
  FR: country(
    'France',
    'europe',
    USUAL,
    ICAO,
    [GREY, BLUE],
    'https://passeport.ants.gouv.fr/Vos-demarches/Photographie-d-identite',
  ),
  GB: country(
    'United Kingdom',
    'europe',
    USUAL,
    head(29, 34, 45, 0.6),
    [GREY, CREAM],
    'https://www.gov.uk/photos-for-passports',
  ),
  IE: country('Ireland', 'europe', USUAL),
  IT: country('Italy', 'europe', USUAL),
  NL: country('Netherlands', 'europe', USUAL),
  NO: country('Norway', 'europe', USUAL),
  PL: country('Poland', 'europe', USUAL, LARGE, [WHITE], 'https://www.gov.pl/web/uw-mazowiecki/fotografia-paszportowa'),
  PT: country('Portugal', 'europe', USUAL),
  RU: country('Russia', 'europe', USUAL),
  SE: country('Sweden', 'europe', USUAL),
  // The head sizes for TR, CN, MY and AU are those that photographers publish: no page of their authorities could be
  // read.
  TR: country('Turkey', 'europe', [50, 60], head(32, 36, 60, 0.58)),
  BD: country('Bangladesh', 'asia', USUAL),
  CN: country('China', 'asia', [33, 48], head(28, 33, 48, 0.6)),
  ID: country('Indonesia', 'asia', [30, 40], LARGE, [RED]),
  IN: country(
    'India',
    'asia',
    [51, 51],
    LARGE,
    [WHITE],
    'https://www.indianembassycopenhagen.gov.in/page/photo-specifications-for-passport/',
  ),
  JP: country('Japan', 'asia', USUAL, ICAO, [WHITE], 'https://cms.city.noboribetsu.lg.jp/docs/2017091400051'),
  KR: country('South Korea', 'asia', USUAL),
  MY: country('Malaysia', 'asia', [35, 50], head(25, 30, 50, 0.56)),
  PH: country('Philippines', 'asia', USUAL),
  PK: country('Pakistan', 'asia', USUAL, LARGE, [WHITE, BLUE]),
  SG: country('Singapore', 'asia', USUAL),
  TH: country('Thailand', 'asia', USUAL),
  VN: country('Vietnam', 'asia', [40, 60]),
  EG: country('Egypt', 'africa', [40, 60]),
  NG: country('Nigeria', 'africa', USUAL),
  ZA: country('South Africa', 'africa', USUAL),
  AU: country('Australia', 'oceania', USUAL, ICAO),
  NZ: country('New Zealand', 'oceania', USUAL),
  AE: country('United Arab Emirates', 'middle-east', [43, 55]),
  SA: country('Saudi Arabia', 'middle-east', [40, 60]),
}

/** Default rules if only a size is known: those of most countries. */
export const FALLBACK_RULES: PhotoRules = rulesFor({
  label: 'Custom',
  ...{ widthMm: 35, heightMm: 45, dpi: 300, ...LARGE, bgColor: WHITE, bgColors: [WHITE] },
})
