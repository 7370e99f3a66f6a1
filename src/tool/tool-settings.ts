// Generated from the tools' tables by npm run generate; do not edit.

/** The settings of every tool, preset and action, by its name. */
export interface ToolSettings {
  /** Tune light, colour, channels and simple effects in one pass */
  'image/adjust-colors': {
    /** darker below 0, brighter above */
    brightness?: number
    /** flatter below 0, stronger above */
    contrast?: number
    /** moves the middle tones; black and white stay */
    exposure?: number
    /** -100 takes all colour out, 100 doubles it */
    saturation?: number
    /** cooler below 0, warmer above */
    temperature?: number
    /** greener below 0, more magenta above */
    tint?: number
    /** turns all colours around the colour circle */
    hue?: number | `${number}${string}`
    /** how far edges are made crisper */
    sharpness?: number
    /** red of the result */
    red?: number | `${number}${string}`
    /** green of the result */
    green?: number | `${number}${string}`
    /** blue of the result */
    blue?: number | `${number}${string}`
    /** a simple effect at the end */
    effect?: 'none' | 'grayscale' | 'sepia' | 'invert'
  }
  /** Extend the canvas and fill the new area */
  'image/ai-canvas-expand': {
    /** room added at the top */
    extendTop?: number | `${number}${string}`
    /** room added at the right */
    extendRight?: number | `${number}${string}`
    /** room added at the bottom */
    extendBottom?: number | `${number}${string}`
    /** room added at the left */
    extendLeft?: number | `${number}${string}`
    /** narrower steps and better seams, or less time */
    tier?: 'fast' | 'balanced' | 'high'
    /** the format to write; auto keeps that of the input */
    format?: 'auto' | 'png' | 'jpg' | 'jpeg' | 'webp' | 'tiff' | 'gif' | 'avif' | 'heic' | 'heif' | 'jxl'
    /** of lossy formats; 100 is best */
    quality?: number
  }
  /** Replace the background by a colour or gradient */
  'image/background-replace': {
    /** what the new background is */
    backgroundType?: 'color' | 'gradient'
    /** the new background */
    color?: string
    /** where the gradient begins */
    gradientColor1?: string
    /** where it ends */
    gradientColor2?: string
    /** its direction: 0 up, 90 right, 180 from top to bottom */
    gradientAngle?: number | `${number}${string}`
    /** softness of the edge (sigma) */
    feather?: number | `${number}${string}`
    /** the format to write, without loss */
    format?: 'png' | 'webp'
  }
  /** Draw a barcode from text */
  'image/barcode-generate': {
    /** what the code says */
    text: string
    /** the symbology */
    type?: 'code128' | 'ean13' | 'upca' | 'code39' | 'itf14' | 'datamatrix'
    /** width of the narrowest bar */
    scale?: number | `${number}${string}`
    /** print the text below the bars */
    includeText?: boolean
  }
  /** Find and read barcodes and QR codes */
  'image/barcode-read': {
    /** look again turned, enlarged and with more contrast when nothing is found */
    tryHarder?: boolean
  }
  /** Dress a screenshot with background, frame, shadow, watermark and social size */
  'image/beautify': {
    /** what is behind the screenshot */
    backgroundType?: 'solid' | 'linear-gradient' | 'radial-gradient' | 'image' | 'transparent'
    /** colour of the background */
    backgroundColor?: string
    /** colours of the gradient, at least two */
    gradientStops?: readonly ({
      /** colour of the stop */
      color: string
      /** where it is */
      position: number | `${number}${string}`
    })[]
    /** direction of the gradient: 0 up, 90 right */
    gradientAngle?: number | `${number}${string}`
    /** free space around the screenshot */
    padding?: number | `${number}${string}`
    /** rounding of the corners */
    borderRadius?: number | `${number}${string}`
    /** shadow under the screenshot */
    shadowPreset?: 'none' | 'subtle' | 'medium' | 'dramatic' | 'custom'
    /** softness of the shadow */
    shadowBlur?: number | `${number}${string}`
    /** moves the shadow to the right */
    shadowOffsetX?: number | `${number}${string}`
    /** moves the shadow down */
    shadowOffsetY?: number | `${number}${string}`
    /** colour of the shadow */
    shadowColor?: string
    /** 100 covers fully */
    shadowOpacity?: number | `${number}${string}`
    /** window or device around the screenshot */
    frame?: 'none' | 'macos-light' | 'macos-dark' | 'windows-light' | 'windows-dark' | 'browser-light' | 'browser-dark' | 'iphone' | 'iphone-dark' | 'macbook' | 'macbook-dark' | 'ipad' | 'ipad-dark'
    /** title of the window; in browsers also the address */
    frameTitle?: string
    /** fit the whole into the size of this site */
    socialPreset?: 'none' | 'twitter' | 'linkedin' | 'instagram-square' | 'instagram-story' | 'facebook' | 'producthunt'
    /** white text over the finished picture */
    watermarkText?: string
    /** where the watermark stands */
    watermarkPosition?: 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right' | 'center'
    /** 100 covers fully */
    watermarkOpacity?: number | `${number}${string}`
    /** the format to write; jpeg becomes png where it is to be clear */
    outputFormat?: 'png' | 'jpeg' | 'webp' | 'jpg'
  }
  /** Blur everything but the subject */
  'image/blur-background': {
    /** how much */
    intensity?: number
    /** softness of the edge (sigma) */
    feather?: number | `${number}${string}`
    /** the format to write, without loss */
    format?: 'png' | 'webp'
  }
  /** Find faces and blur them */
  'image/blur-faces': {
    /** how much (sigma), of a face up to 90 px wide; larger ones are blurred as much more */
    blurRadius?: number | `${number}${string}`
    /** how readily something counts as a face */
    sensitivity?: number
  }
  /** Add padding, a border, rounded corners and a drop shadow */
  'image/border': {
    /** width of the border */
    width?: number | `${number}${string}`
    /** colour of the border */
    color?: string
    /** how the border is filled */
    style?: 'solid' | 'gradient' | 'pattern'
    /** second colour */
    color2?: string
    /** direction of the gradient: 0 up, 90 right */
    gradientAngle?: number | `${number}${string}`
    /** what the pattern shows */
    pattern?: 'stripes' | 'dots' | 'checker'
    /** space between image and border */
    padding?: number | `${number}${string}`
    /** colour of that space */
    paddingColor?: string
    /** rounding of the outer corners */
    borderRadius?: number | `${number}${string}`
    /** draw a shadow under it */
    shadow?: boolean
    /** softness of the shadow */
    shadowBlur?: number | `${number}${string}`
    /** moves the shadow to the right */
    shadowOffsetX?: number | `${number}${string}`
    /** moves the shadow down */
    shadowOffsetY?: number | `${number}${string}`
    /** colour of the shadow */
    shadowColor?: string
    /** 100 covers fully */
    shadowOpacity?: number | `${number}${string}`
  }
  /** Copy many files under new names made by a pattern */
  'image/bulk-rename': {
    /** the new name with {n}, {date}, {original}, {{index}}, {{padded}} or {{original}} in it */
    pattern?: string
    /** the number of the first file */
    startIndex?: number
    /** least digits of {n} */
    padding?: number
  }
  /** Crop to a circle with optional ring and corner colour */
  'image/circle-crop': {
    /** 1 is the largest circle; more shows less of the image */
    zoom?: number
    /** place of the circle: 0 left, 1 right */
    offsetX?: number
    /** place of the circle: 0 top, 1 bottom */
    offsetY?: number
    /** width of a ring around the circle */
    borderWidth?: number | `${number}${string}`
    /** colour of the ring */
    borderColor?: string
    /** around and behind the circle */
    background?: string
    /** side of the result; by default the native size */
    outputSize?: number | `${number}${string}`
  }
  /** Place several images into a named grid template on one canvas */
  'image/collage': {
    /** the layout; by default one for the number of images */
    template?: '2-h-equal' | '2-v-equal' | '2-h-left-large' | '2-h-right-large' | '3-left-large' | '3-right-large' | '3-top-large' | '3-h-equal' | '3-v-equal' | '4-grid' | '4-left-large' | '4-top-large' | '4-bottom-large' | '5-top2-bottom3' | '5-top3-bottom2' | '5-left-large' | '5-center-large' | '6-grid-2x3' | '6-grid-3x2' | '6-top-large' | '7-mosaic' | '8-mosaic' | '9-grid' | '4-h-equal' | '4-v-equal' | '8-grid-4x2' | '8-grid-2x4'
    /** settings of the cells, in the order of the template */
    cells?: readonly ({
      /** which image the cell shows, counted from 0 */
      imageIndex: number
      /** moves the visible part, of the part that does not fit */
      panX?: number | `${number}${string}`
      /** as panX, up and down */
      panY?: number | `${number}${string}`
      /** enlarges the image within its cell */
      zoom?: number
      /** fill the cell, or show the whole image */
      objectFit?: 'cover' | 'contain'
    })[]
    /** space between the cells and around them */
    gap?: number | `${number}${string}`
    /** rounding of every cell */
    borderRadius?: number | `${number}${string}`
    /** behind and between the images */
    backgroundColor?: string
    /** shape of the canvas */
    aspectRatio?: 'free' | '1:1' | '4:3' | '3:2' | '16:9' | '9:16' | '4:5'
    /** the format to write */
    outputFormat?: 'png' | 'jpeg' | 'webp' | 'avif' | 'jxl' | 'jpg'
    /** 100 is best */
    quality?: number
  }
  /** Show how an image looks with a colour-vision deficiency */
  'image/color-blindness': {
    /** the deficiency: -opia is complete, -omaly a weaker form */
    simulationType?: 'protanopia' | 'deuteranopia' | 'tritanopia' | 'protanomaly' | 'deuteranomaly' | 'tritanomaly' | 'achromatopsia' | 'blueConeMonochromacy'
  }
  /** Extract the dominant colours */
  'image/color-palette': {
    /** how many colours at most */
    count?: number
    /** how the colours are written */
    format?: 'hex' | 'rgb' | 'hsl'
  }
  /** Colour a black-and-white photo */
  'image/colorize': {
    /** how strong the colours are; 0 is grey */
    intensity?: number
    /** the network: the newer one, or the classical one of 2016 */
    model?: 'auto' | 'ddcolor' | 'opencv'
  }
  /** Measure and draw the difference between two images */
  'image/compare': {
    /** what the picture shows */
    mode?: 'side-by-side' | 'overlay' | 'diff'
    /** mean difference of red, green and blue above which a pixel is marked */
    diffThreshold?: number
  }
  /** Layer a second image on top of the first */
  'image/compose': {
    /** left edge of the layer */
    x?: number | `${number}${string}`
    /** top edge of the layer */
    y?: number | `${number}${string}`
    /** 100 covers fully */
    opacity?: number | `${number}${string}`
    /** how the colours of both are mixed */
    blend?: 'over' | 'multiply' | 'screen' | 'overlay' | 'darken' | 'lighten' | 'hard-light' | 'soft-light' | 'difference' | 'exclusion'
  }
  /** Shrink a file by quality level or to a byte target */
  'image/compress': {
    /** what decides the size */
    mode?: 'quality' | 'targetSize'
    /** 100 is best; PNG and GIF get fewer colours */
    quality?: number
    /** largest size of the result; 1 kB = 1000 bytes */
    targetSizeKb?: number | `${number}${string}`
    /** scale the picture down where only a poor quality reaches the target size */
    allowResize?: boolean
  }
  /** Make an image narrower or lower by leaving out what matters least */
  'image/content-aware-resize': {
    /** width of the result */
    width?: number | `${number}${string}`
    /** height of the result */
    height?: number | `${number}${string}`
    /** keep faces whole; needs the models face-detection */
    protectFaces?: boolean
    /** blur before edges are looked for, so that grain does not count */
    blurRadius?: number | `${number}${string}`
    /** edges weaker than this count as flat */
    sobelThreshold?: number
    /** make it square, by its shortest side */
    square?: boolean
  }
  /** Re-encode an image into another format */
  'image/convert': {
    /** the format to write */
    format: 'jpg' | 'png' | 'apng' | 'webp' | 'avif' | 'tiff' | 'gif' | 'heic' | 'heif' | 'jxl' | 'jp2' | 'bmp' | 'ico' | 'tga' | 'qoi' | 'ppm' | 'psd' | 'eps' | 'jpeg' | 'tif'
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
    /** which page of a TIFF, counted from 1; without it a TIFF keeps all, anything else gets the first */
    page?: number
  }
  /** Cut out a rectangle given in pixels or percent */
  'image/crop': {
    /** distance of the rectangle from the left edge */
    left: number
    /** distance of the rectangle from the top edge */
    top: number
    /** width of the rectangle */
    width: number
    /** height of the rectangle */
    height: number
    /** what the four numbers count */
    unit?: 'px' | 'percent'
  }
  /** Map dark and light tones to two colours */
  'image/duotone': {
    /** colour of the darkest tones */
    shadow?: string
    /** colour of the lightest tones */
    highlight?: string
    /** 0 leaves the colours, 100 is the full effect */
    intensity?: number | `${number}${string}`
  }
  /** Write EXIF, IPTC, XMP and GPS fields without touching pixels */
  'image/edit-metadata': {
    /** XMP title; also the EXIF description where none is given */
    title?: string
    /** EXIF description */
    description?: string
    /** EXIF artist */
    author?: string
    /** another name of author, which it wins over */
    artist?: string
    /** EXIF copyright */
    copyright?: string
    /** IPTC keywords and XMP subjects */
    keywords?: readonly (string)[]
    /** whether the keywords that are there stay */
    keywordsMode?: 'add' | 'set'
    /** where it was taken */
    gps?: {
      /** latitude, south is negative */
      lat?: number | `${number}${string}`
      /** longitude, west is negative */
      lon?: number | `${number}${string}`
      /** above the sea, below is negative */
      alt?: number | `${number}${string}`
    }
    /** as lat in gps */
    gpsLatitude?: number | `${number}${string}`
    /** as lon in gps */
    gpsLongitude?: number | `${number}${string}`
    /** as alt in gps */
    gpsAltitude?: number | `${number}${string}`
    /** remove where it was taken; wins over coordinates */
    clearGps?: boolean
    /** when it was changed: YYYY:MM:DD HH:MM:SS or ISO 8601 */
    dateTime?: string
    /** when it was taken, in the same form */
    dateTimeOriginal?: string
    /** when it was taken, digitised and changed, in the same form */
    setAllDates?: string
    /** move all dates that it has by hours and minutes: +1:30 or -10:00 */
    dateShift?: string
    /** EXIF software */
    software?: string
    /** IPTC object name */
    iptcTitle?: string
    /** IPTC headline */
    iptcHeadline?: string
    /** IPTC city */
    iptcCity?: string
    /** IPTC province or state */
    iptcState?: string
    /** IPTC country */
    iptcCountry?: string
    /** tags to remove */
    fieldsToRemove?: readonly (string)[]
  }
  /** Show the EXIF, IPTC, XMP and GPS fields that an image has */
  'image/edit-metadata/inspect': Record<string, never>
  /** Restore blurry faces */
  'image/enhance-faces': {
    /** the network; CodeFormer is for non-commercial use only */
    model?: 'auto' | 'gfpgan' | 'codeformer'
    /** how much is restored */
    strength?: number
    /** how readily something counts as a face */
    sensitivity?: number
    /** only the face that is nearest to the middle */
    onlyCenterFace?: boolean
  }
  /** Erase a masked region and fill it in */
  'image/erase-object': {
    /** the format to write; auto keeps that of the input */
    format?: 'auto' | 'png' | 'jpg' | 'jpeg' | 'webp' | 'tiff' | 'gif' | 'avif' | 'heic' | 'heif' | 'jxl'
    /** of lossy formats; 100 is best */
    quality?: number
  }
  /** Produce the full favicon and app-icon set as a ZIP */
  'image/favicon': {
    /** free space on each edge, of the side */
    padding?: number | `${number}${string}`
    /** colour behind the picture; absent keeps it transparent */
    backgroundColor?: string
    /** rounding of the corners, of the side */
    borderRadius?: number | `${number}${string}`
    /** only these PNG sizes */
    sizes?: readonly (16 | 32 | 48 | 180 | 192 | 512)[]
    /** theme_color and background_color of the manifest */
    themeColor?: string
  }
  /** Group identical and near-identical images */
  'image/find-duplicates': {
    /** how many of the 128 bits of the hash may differ; 0 finds only what looks the same */
    threshold?: number
  }
  /** Resize, optimise, retime, reverse, extract, rotate or caption an animated GIF */
  'image/gif-tools': {
    /** what to do */
    action?: 'resize' | 'optimize' | 'reverse' | 'speed' | 'extract-frames' | 'rotate' | 'add-text' | 'extract'
    /** fits inside this width */
    width?: number | `${number}${string}`
    /** fits inside this height */
    height?: number | `${number}${string}`
    /** scales both sides; wins over width and height */
    percentage?: number | `${number}${string}`
    /** colours of the palette, rounded up to 2, 4, 16 or 256 */
    colors?: number
    /** 0 none, 1 full */
    dither?: number
    /** more is smaller and slower */
    effort?: number
    /** over 1 is faster */
    speedFactor?: number
    /** which frames */
    extractMode?: 'single' | 'range' | 'all'
    /** the frame, counted from 0 */
    frameNumber?: number
    /** the first frame */
    frameStart?: number
    /** the last frame; by default the last of all */
    frameEnd?: number
    /** the format to write */
    extractFormat?: 'png' | 'webp'
    /** clockwise */
    angle?: 90 | 180 | 270
    /** mirror left and right */
    flipH?: boolean
    /** mirror top and bottom */
    flipV?: boolean
    /** what to write */
    text?: string
    /** the font family */
    font?: string
    /** size of the letters */
    fontSize?: number | `${number}${string}`
    /** colour of the letters */
    color?: string
    /** colour of their outline */
    strokeColor?: string
    /** width of their outline */
    strokeWidth?: number | `${number}${string}`
    /** where it stands without y */
    position?: 'top' | 'center' | 'bottom'
    /** left edge of the text; centred by default */
    x?: number | `${number}${string}`
    /** top edge of the text; by default as position says */
    y?: number | `${number}${string}`
    /** how often it plays; 0 = forever; an animation keeps its own unless this is given */
    loop?: number
  }
  /** Report size, frames and timing of an animated GIF */
  'image/gif-tools/info': Record<string, never>
  /** Convert animated GIF to WebP and back */
  'image/gif-webp': {
    /** to WebP: 100 is best */
    quality?: number
    /** to WebP: every pixel as it was */
    lossless?: boolean
    /** how wide the result is, of the input */
    resizePercent?: number | `${number}${string}`
  }
  /** Chart the RGB histogram and report channel statistics */
  'image/histogram': {
    /** height of the areas: the counts, or log(1 + count) */
    scale?: 'linear' | 'log'
  }
  /** Take a picture of a web page or of HTML text */
  'image/html-to-image': {
    /** address of the page, http or https */
    url?: string
    /** the page itself, in place of an address */
    html?: string
    /** the format to write */
    format?: 'png' | 'jpg' | 'webp' | 'jpeg'
    /** 100 is best */
    quality?: number
    /** the whole page, not only what a screen shows */
    fullPage?: boolean
    /** the screen */
    devicePreset?: 'desktop' | 'tablet' | 'mobile' | 'custom'
    /** width of the screen */
    viewportWidth?: number | `${number}${string}`
    /** height of the screen */
    viewportHeight?: number | `${number}${string}`
  }
  /** Analyse an image and correct exposure, contrast, colour and sharpness */
  'image/image-enhancement': {
    /** what the picture shows, or the one thing to correct */
    mode?: 'auto' | 'exposure' | 'contrast' | 'color' | 'sharpness' | 'portrait' | 'landscape' | 'low-light' | 'food' | 'document'
    /** 50 corrects as computed, 100 twice as much */
    strength?: number
    /** what may be corrected; all by default */
    corrections?: {
      /** lighten or darken the middle tones */
      exposure?: boolean
      /** local contrast and level stretch */
      contrast?: boolean
      /** warm or cool */
      whiteBalance?: boolean
      /** livelier or calmer colours */
      saturation?: boolean
      /** sharpen */
      sharpness?: boolean
      /** median filter against noise */
      denoise?: boolean
    }
    /** remove noise with a model first; skipped where the bundle upscale-enhance is missing */
    deepEnhance?: boolean
  }
  /** Score an image and say what would be corrected */
  'image/image-enhancement/analyze': Record<string, never>
  /** Extend an image to a target aspect ratio */
  'image/image-pad': {
    /** width to height of the result */
    target?: '16:9' | '9:16' | '1:1' | '4:3' | '3:4' | 'custom'
    /** the width of the ratio */
    ratioW?: number
    /** the height of the ratio */
    ratioH?: number
    /** what is around and behind the image */
    background?: 'color' | 'transparent' | 'blur'
    /** colour of the background */
    color?: string
    /** added on all four sides, of the longer side */
    padding?: number | `${number}${string}`
  }
  /** Encode images as Base64 text or data URIs */
  'image/image-to-base64': {
    /** what is printed: a data URI, or Base64 alone */
    format?: 'data-uri' | 'plain'
    /** encode again as this type */
    mimeType?: 'image/jpeg' | 'image/png' | 'image/webp' | 'image/avif' | 'image/jxl'
    /** the same, by its short name */
    outputFormat?: 'original' | 'jpeg' | 'png' | 'webp' | 'avif' | 'jxl' | 'jpg'
    /** of lossy types, when encoded again: 100 is best */
    quality?: number
    /** made smaller until it is no wider; 0 = no limit */
    maxWidth?: number | `${number}${string}`
    /** made smaller until it is no higher; 0 = no limit */
    maxHeight?: number | `${number}${string}`
  }
  /** Put one or more images on PDF pages */
  'image/image-to-pdf': {
    /** size of the pages */
    pageSize?: 'A4' | 'Letter' | 'A3' | 'A5'
    /** how the pages lie */
    orientation?: 'portrait' | 'landscape'
    /** free space on each edge of a page */
    margin?: number | `${number}${string}`
    /** largest size of the result, at least 50 KB; pictures become JPEG where they must */
    targetSize?: {
      /** how many */
      value: number
      /** of 1024 or 1048576 bytes */
      unit: 'KB' | 'MB'
    }
    /** all pictures in one PDF; off: a PDF for each */
    collate?: boolean
  }
  /** Report an image's properties and per-channel figures */
  'image/info': Record<string, never>
  /** Make a tiny placeholder image with embed snippets */
  'image/lqip-placeholder': {
    /** width of the placeholder; its height follows */
    width?: number | `${number}${string}`
    /** what it shows; solid is a square of the mean colour */
    strategy?: 'blur' | 'pixelate' | 'solid'
    /** how much, 0 is not at all */
    blur?: number | `${number}${string}`
    /** the format to write */
    format?: 'webp' | 'png' | 'jpeg' | 'jpg'
    /** 100 is best */
    quality?: number
  }
  /** Caption a template or an uploaded picture meme-style */
  'image/meme-generator': {
    /** id or name of a template; wins over a file */
    templateId?: string
    /** where texts go without a template */
    textLayout?: 'top-bottom' | 'top-only' | 'bottom-only' | 'center' | 'side-by-side'
    /** the texts */
    textBoxes?: readonly ({
      /** the box: top, bottom, or as the template names it */
      id: string
      /** what to write in it */
      text: string
    })[]
    /** the letters; any other name is anton */
    fontFamily?: 'anton' | 'arial-black' | 'comic-sans' | 'montserrat' | 'bebas-neue' | 'permanent-marker' | 'roboto'
    /** size of the letters; fitted to each box by default */
    fontSize?: number | `${number}${string}`
    /** colour of the letters */
    textColor?: string
    /** colour of their outline */
    strokeColor?: string
    /** how lines are aligned in their box */
    textAlign?: 'left' | 'center' | 'right'
    /** in capital letters */
    allCaps?: boolean
  }
  /** Remove noise and grain */
  'image/noise-removal': {
    /** quick and balanced need no models; quality and maximum are a network, maximum with no part of the original left */
    tier?: 'quick' | 'balanced' | 'quality' | 'maximum'
    /** how much noise is taken out */
    strength?: number
    /** how much fine detail is kept, and with it noise */
    detailPreservation?: number
    /** how much noise of colour is taken out; 0 leaves colours alone */
    colorNoise?: number
    /** the format to write */
    format?: 'original' | 'png' | 'jpeg' | 'webp' | 'avif' | 'jxl' | 'jpg'
    /** of lossy formats; 100 is best */
    quality?: number
  }
  /** Read text from an image */
  'image/ocr': {
    /** fast is Tesseract; balanced and best are models that find and read lines */
    quality?: 'fast' | 'balanced' | 'best'
    /** what the text is written in; auto detects the script */
    language?: 'auto' | 'en' | 'de' | 'fr' | 'es' | 'zh' | 'ja' | 'ko'
    /** raise the contrast around each place first, against shadows and faded print */
    enhance?: boolean
    /** @deprecated use quality */
    engine?: 'tesseract' | 'paddleocr'
  }
  /** Prepare an image for the web: format, quality, size and metadata in one pass */
  'image/optimize-for-web': {
    /** the format to write */
    format?: 'webp' | 'jpeg' | 'avif' | 'png' | 'jxl' | 'jpg'
    /** 100 is best; for png it decides how many colours there are */
    quality?: number
    /** made smaller until it is no wider */
    maxWidth?: number | `${number}${string}`
    /** made smaller until it is no higher */
    maxHeight?: number | `${number}${string}`
    /** shown coarsely first while it loads */
    progressive?: boolean
    /** leave out EXIF, GPS, XMP and the profile; the colours are brought to sRGB */
    stripMetadata?: boolean
  }
  /** Show what the settings make of an image, with both sizes */
  'image/optimize-for-web/preview': {
    /** the format to write */
    format?: 'webp' | 'jpeg' | 'avif' | 'png' | 'jxl' | 'jpg'
    /** 100 is best; for png it decides how many colours there are */
    quality?: number
    /** made smaller until it is no wider */
    maxWidth?: number | `${number}${string}`
    /** made smaller until it is no higher */
    maxHeight?: number | `${number}${string}`
    /** shown coarsely first while it loads */
    progressive?: boolean
    /** leave out EXIF, GPS, XMP and the profile; the colours are brought to sRGB */
    stripMetadata?: boolean
  }
  /** Make a passport photo by the rules of a country, with a sheet to print */
  'image/passport-photo': {
    /** whose rules count, two letters: AE, AT, AU, BD, BE, BR, CA, CH, CN, DE, DK, EG, ES, EU, FR, GB, ID, IE, IN, IT, JP, KR, MX, MY, NG, NL, NO, NZ, PH, PK, PL, PT, RU, SA, SE, SG, TH, TR, US, VN, ZA */
    countryCode: string
    /** what the photo is for */
    documentType?: string
    /** a sheet of copies to print, beside the photo */
    printLayout?: 'none' | '4x6' | 'a4' | 'letter'
    /** lower the quality until the file is no larger; 0 for no limit */
    maxFileSizeKb?: number | `${number}${string}`
    /** pixels per inch */
    dpi?: number | `${number}${string}`
    /** another width than the rules say */
    customWidthMm?: number | `${number}${string}`
    /** another height than the rules say */
    customHeightMm?: number | `${number}${string}`
    /** larger than 1 shows the head larger */
    zoom?: number
    /** move the frame to the right by so much of the picture's width */
    adjustX?: number
    /** move the frame down by so much of the picture's height */
    adjustY?: number
    /** the background; by default the country's own, mostly white */
    bgColor?: string
  }
  /** Find the head of a portrait and cut the person out, for generate later */
  'image/passport-photo/analyze': Record<string, never>
  /** Make the photo of a portrait that was analysed before, without a model */
  'image/passport-photo/generate': {
    /** whose rules count, two letters: AE, AT, AU, BD, BE, BR, CA, CH, CN, DE, DK, EG, ES, EU, FR, GB, ID, IE, IN, IT, JP, KR, MX, MY, NG, NL, NO, NZ, PH, PK, PL, PT, RU, SA, SE, SG, TH, TR, US, VN, ZA */
    countryCode: string
    /** what the photo is for */
    documentType?: string
    /** a sheet of copies to print, beside the photo */
    printLayout?: 'none' | '4x6' | 'a4' | 'letter'
    /** lower the quality until the file is no larger; 0 for no limit */
    maxFileSizeKb?: number | `${number}${string}`
    /** pixels per inch */
    dpi?: number | `${number}${string}`
    /** another width than the rules say */
    customWidthMm?: number | `${number}${string}`
    /** another height than the rules say */
    customHeightMm?: number | `${number}${string}`
    /** larger than 1 shows the head larger */
    zoom?: number
    /** move the frame to the right by so much of the picture's width */
    adjustX?: number
    /** move the frame down by so much of the picture's height */
    adjustY?: number
    /** the background */
    bgColor?: string
    /** places of the head, as analyze answers them, as parts of the picture's size */
    landmarks: {
      /** the person's left eye */
      leftEye: {
        /** across */
        x: number
        /** down */
        y: number
      }
      /** the right one */
      rightEye: {
        /** across */
        x: number
        /** down */
        y: number
      }
      /** the middle between them */
      eyeCenter: {
        /** across */
        x: number
        /** down */
        y: number
      }
      /** lower end of the head */
      chin: {
        /** across */
        x: number
        /** down */
        y: number
      }
      /** upper end of the face */
      forehead: {
        /** across */
        x: number
        /** down */
        y: number
      }
      /** upper end of the head */
      crown: {
        /** across */
        x: number
        /** down */
        y: number
      }
      /** its tip */
      nose: {
        /** across */
        x: number
        /** down */
        y: number
      }
      /** the middle of the face */
      faceCenterX: number
    }
    /** width of the picture, as analyze answers it */
    imageWidth: number | `${number}${string}`
    /** its height */
    imageHeight: number | `${number}${string}`
  }
  /** Turn the image or a rectangle into coarse blocks */
  'image/pixelate': {
    /** side of a block */
    blockSize?: number | `${number}${string}`
    /** the rectangle to hide; the whole image when absent */
    region?: {
      /** distance from the left edge */
      left: number | `${number}${string}`
      /** distance from the top edge */
      top: number | `${number}${string}`
      /** width */
      width: number | `${number}${string}`
      /** height */
      height: number | `${number}${string}`
    }
  }
  /** Draw a QR code with colours, styles and optional logo */
  'image/qr-generate': {
    /** what the code says: an address or any text */
    data: string
    /** side of the square */
    size?: number | `${number}${string}`
    /** quiet zone around the code */
    margin?: number | `${number}${string}`
    /** colour of the code */
    colorDark?: string
    /** colour of the ground */
    colorLight?: string
    /** how much may be damaged: L 7 %, M 15 %, Q 25 %, H 30 % */
    errorCorrectionLevel?: 'L' | 'M' | 'Q' | 'H'
    /** shape of the modules */
    dotStyle?: 'square' | 'rounded' | 'dots' | 'classy' | 'classy-rounded' | 'extra-rounded'
    /** shape of the three finder frames */
    cornerStyle?: 'square' | 'rounded' | 'dot' | 'extra-rounded'
    /** a picture for the centre, as a base64 data URI */
    logoDataUri?: string
  }
  /** Correct red eyes from flash */
  'image/red-eye-removal': {
    /** how little red counts as a red eye */
    sensitivity?: number
    /** how dark the pupil becomes; its colour goes in any case */
    strength?: number
    /** the format to write */
    format?: 'png' | 'jpg' | 'webp' | 'original' | 'jpeg'
    /** of lossy formats; 100 is best */
    quality?: number
  }
  /** Cut out the subject and optionally put it on a new background */
  'image/remove-background': {
    /** the model that finds the subject; by default the best that is installed and fits the memory */
    model?: 'birefnet-general' | 'birefnet-portrait' | 'birefnet-dis' | 'birefnet-hrsod' | 'birefnet-cod' | 'u2net' | 'u2net_human_seg' | 'isnet-general-use' | 'birefnet-general-lite' | 'birefnet-hr-matting' | 'isnet-fp16' | 'isnet-quint8' | 'u2netp' | 'silueta' | 'modnet'
    /** how closely the edge follows fine detail such as hair; 0 is off */
    edgeRefine?: number
    /** take the old background's colour out of hair and edges */
    decontaminate?: boolean
    /** keep the colours under transparent pixels: a program can show the old background again */
    keepColors?: boolean
    /** what is behind the subject */
    backgroundType?: 'transparent' | 'color' | 'gradient' | 'blur' | 'image'
    /** the colour */
    backgroundColor?: string
    /** where the gradient begins */
    gradientColor1?: string
    /** where it ends */
    gradientColor2?: string
    /** its direction: 0 up, 90 right, 180 from top to bottom */
    gradientAngle?: number | `${number}${string}`
    /** blur what is behind the subject */
    blurEnabled?: boolean
    /** how much it is blurred */
    blurIntensity?: number
    /** a soft shadow under the subject */
    shadowEnabled?: boolean
    /** how dark; 0 draws none */
    shadowOpacity?: number | `${number}${string}`
    /** the format to write, without loss */
    outputFormat?: 'png' | 'webp' | 'avif'
  }
  /** Cut out the subject and keep it with its picture, for effects later */
  'image/remove-background/cut-out': {
    /** the model that finds the subject; by default the best that is installed and fits the memory */
    model?: 'birefnet-general' | 'birefnet-portrait' | 'birefnet-dis' | 'birefnet-hrsod' | 'birefnet-cod' | 'u2net' | 'u2net_human_seg' | 'isnet-general-use' | 'birefnet-general-lite' | 'birefnet-hr-matting' | 'isnet-fp16' | 'isnet-quint8' | 'u2netp' | 'silueta' | 'modnet'
    /** how closely the edge follows fine detail such as hair; 0 is off */
    edgeRefine?: number
    /** take the old background's colour out of hair and edges */
    decontaminate?: boolean
    /** keep the colours under transparent pixels: a program can show the old background again */
    keepColors?: boolean
  }
  /** Put a subject that was cut out before on a new background, without a model */
  'image/remove-background/effects': {
    /** what is behind the subject */
    backgroundType?: 'transparent' | 'color' | 'gradient' | 'blur' | 'image'
    /** the colour */
    backgroundColor?: string
    /** where the gradient begins */
    gradientColor1?: string
    /** where it ends */
    gradientColor2?: string
    /** its direction: 0 up, 90 right, 180 from top to bottom */
    gradientAngle?: number | `${number}${string}`
    /** blur what is behind the subject */
    blurEnabled?: boolean
    /** how much it is blurred */
    blurIntensity?: number
    /** a soft shadow under the subject */
    shadowEnabled?: boolean
    /** how dark; 0 draws none */
    shadowOpacity?: number | `${number}${string}`
    /** the format to write, without loss */
    outputFormat?: 'png' | 'webp' | 'avif'
  }
  /** Cut out the subject in every frame of an animation */
  'image/remove-gif-background': {
    /** the model that finds the subject; by default the best that is installed and fits the memory */
    model?: 'birefnet-general' | 'birefnet-portrait' | 'birefnet-dis' | 'birefnet-hrsod' | 'birefnet-cod' | 'u2net' | 'u2net_human_seg' | 'isnet-general-use' | 'birefnet-general-lite' | 'birefnet-hr-matting' | 'isnet-fp16' | 'isnet-quint8' | 'u2netp' | 'silueta' | 'modnet'
    /** what is behind the subject */
    backgroundType?: 'transparent' | 'color' | 'gradient' | 'blur' | 'image'
    /** the colour */
    backgroundColor?: string
    /** where the gradient begins */
    gradientColor1?: string
    /** where it ends */
    gradientColor2?: string
    /** its direction: 0 up, 90 right, 180 from top to bottom */
    gradientAngle?: number | `${number}${string}`
    /** how much it is blurred */
    blurIntensity?: number
    /** a soft shadow under the subject */
    shadowEnabled?: boolean
    /** how dark; 0 draws none */
    shadowOpacity?: number | `${number}${string}`
    /** the format to write */
    outputFormat?: 'webp' | 'gif' | 'apng'
    /** how closely the edge follows fine detail such as hair; 0 is off */
    edgeRefine?: number
    /** take the old background's colour out of hair and edges */
    decontaminate?: boolean
    /** keep the colours under transparent pixels: a program can show the old background again */
    keepColors?: boolean
  }
  /** Swap one colour for another or make it transparent */
  'image/replace-color': {
    /** the colour to look for */
    sourceColor?: string
    /** the colour to put in its place */
    targetColor?: string
    /** make the colour transparent instead */
    makeTransparent?: boolean
    /** how far a colour may be off, of 255; 0 takes the exact colour only */
    tolerance?: number
  }
  /** Scale an image by pixels, percentage or a named social size */
  'image/resize': {
    /** width of the result */
    width?: number | `${number}${string}`
    /** height of the result */
    height?: number | `${number}${string}`
    /** how the image is fitted into width and height */
    fit?: 'cover' | 'contain' | 'fill' | 'inside' | 'outside'
    /** scale both sides; replaces width and height */
    percentage?: number | `${number}${string}`
    /** never make the image larger than it is */
    withoutEnlargement?: boolean
    /** a social network size; fit is then cover unless given */
    preset?: 'instagram-post-square' | 'instagram-story-reel' | 'instagram-profile-picture' | 'instagram-landscape-post' | 'instagram-portrait-post' | 'twitter-post-image' | 'twitter-header' | 'twitter-profile-picture' | 'facebook-post-image' | 'facebook-cover-photo' | 'facebook-profile-picture' | 'facebook-event-cover' | 'youtube-thumbnail' | 'youtube-channel-banner' | 'youtube-profile-picture' | 'linkedin-post-image' | 'linkedin-banner' | 'linkedin-profile-picture' | 'tiktok-video-cover' | 'tiktok-profile-picture' | 'whatsapp-profile-picture' | 'pinterest-pin' | 'threads-post-image'
    /** leave out what matters least instead of scaling, as content-aware-resize does */
    contentAware?: boolean
    /** colour of the bars that fit contain adds */
    background?: string
  }
  /** Repair scratches, faces, noise and colour of old photos */
  'image/restore-photo': {
    /** how certain damage must be to be repaired, and how much noise is taken out at most or least */
    mode?: 'auto' | 'light' | 'heavy'
    /** repair scratches, hairs and dust; what a photograph without damage shows stays */
    scratchRemoval?: boolean
    /** restore faces */
    faceEnhancement?: boolean
    /** how true faces stay; 1 leaves them as they are */
    fidelity?: number
    /** take out noise */
    denoise?: boolean
    /** how much noise is taken out, where there is any */
    denoiseStrength?: number
    /** colour a photo that has no colours */
    colorize?: boolean
    /** how strong the colours are */
    colorizeStrength?: number
  }
  /** Turn by any angle and mirror horizontally or vertically */
  'image/rotate': {
    /** clockwise turn; the canvas grows to hold the corners */
    angle?: number | `${number}${string}`
    /** mirror left and right, after the turn */
    horizontal?: boolean
    /** mirror top and bottom, after the turn */
    vertical?: boolean
  }
  /** Sharpen by adaptive, unsharp-mask or high-pass method */
  'image/sharpening': {
    /** how edges are found */
    method?: 'adaptive' | 'unsharp-mask' | 'high-pass'
    /** width of the edges */
    sigma?: number | `${number}${string}`
    /** how much flat areas are sharpened */
    m1?: number
    /** how much jagged areas are sharpened */
    m2?: number
    /** difference of lightness where flat ends and jagged begins */
    x1?: number
    /** most that a pixel is brightened */
    y2?: number
    /** most that a pixel is darkened */
    y3?: number
    /** how much */
    amount?: number | `${number}${string}`
    /** width of the edges */
    radius?: number | `${number}${string}`
    /** smaller differences than this, of 255, are left alone */
    threshold?: number
    /** how much */
    strength?: number | `${number}${string}`
    /** pixels across the kernel */
    kernelSize?: 3 | 5
    /** a median filter before, against noise */
    denoise?: 'off' | 'light' | 'medium' | 'strong'
  }
  /** Crop around the subject, or trim plain borders */
  'image/smart-crop': {
    /** what is looked for */
    mode?: 'subject' | 'face' | 'trim' | 'attention' | 'content'
    /** what counts as the subject: what draws the eye, or much detail */
    strategy?: 'attention' | 'entropy'
    /** width of the result; 1080 by default */
    width?: number | `${number}${string}`
    /** height of the result; 1080 by default */
    height?: number | `${number}${string}`
    /** room around what was found */
    padding?: number | `${number}${string}`
    /** how much around the face is kept */
    facePreset?: 'closeup' | 'head-shoulders' | 'upper-body' | 'half-body'
    /** how readily something counts as a face */
    sensitivity?: number
    /** how far a border may differ from its corner */
    threshold?: number
    /** fit the rest into a square */
    padToSquare?: boolean
    /** colour of the square */
    padColor?: string
    /** side of the square */
    targetSize?: number | `${number}${string}`
    /** of lossy formats; 95 by default */
    quality?: number
  }
  /** Cut one image into tiles and return them as a ZIP */
  'image/split': {
    /** rows: one column only; cols: one row only */
    mode?: 'grid' | 'rows' | 'cols'
    /** how many tiles from top to bottom */
    rows?: number
    /** how many tiles from left to right */
    cols?: number
    /** width of a tile; together with tileHeight it wins over rows and cols */
    tileWidth?: number | `${number}${string}`
    /** height of a tile */
    tileHeight?: number | `${number}${string}`
    /** the format to write */
    outputFormat?: 'original' | 'png' | 'jpg' | 'webp' | 'avif' | 'jxl' | 'jpeg'
    /** of lossy formats: 100 is best */
    quality?: number
  }
  /** Pack images into one sheet and report frame coordinates */
  'image/sprite-sheet': {
    /** most images in a row */
    columns?: number
    /** space between the images */
    padding?: number | `${number}${string}`
    /** colour of free space and behind clear images; or transparent */
    background?: string
    /** the format to write */
    format?: 'png' | 'webp' | 'jpeg' | 'jpg'
    /** 100 is best */
    quality?: number
    /** further files with the place of each image */
    map?: 'none' | 'json' | 'css' | 'both'
  }
  /** Join images in a row, a column or a grid */
  'image/stitch': {
    /** a row, a column or a grid */
    direction?: 'horizontal' | 'vertical' | 'grid'
    /** how many in a row */
    gridColumns?: number
    /** how images become equally high (or wide): scaled, not at all, stretched or cut */
    resizeMode?: 'fit' | 'original' | 'stretch' | 'crop'
    /** place of those that are smaller than the others */
    alignment?: 'start' | 'center' | 'end'
    /** space between the images */
    gap?: number | `${number}${string}`
    /** space around them */
    border?: number | `${number}${string}`
    /** rounding of the whole result */
    cornerRadius?: number | `${number}${string}`
    /** colour of gap, border and what is free */
    backgroundColor?: string
    /** the format to write */
    format?: 'png' | 'jpeg' | 'webp' | 'avif' | 'jxl' | 'jpg'
    /** 100 is best */
    quality?: number
  }
  /** Remove EXIF, GPS, ICC and XMP data from an image */
  'image/strip-metadata': {
    /** remove everything but how a picture is turned; overrides the other four */
    stripAll?: boolean
    /** remove EXIF, which includes GPS */
    stripExif?: boolean
    /** remove only where it was taken */
    stripGps?: boolean
    /** remove the colour profile; the colours are brought to sRGB first */
    stripIcc?: boolean
    /** remove XMP and IPTC */
    stripXmp?: boolean
  }
  /** Show what metadata an image carries */
  'image/strip-metadata/inspect': Record<string, never>
  /** Render an SVG or SVGZ to a raster format */
  'image/svg-to-raster': {
    /** the format to write */
    format?: 'png' | 'jpeg' | 'webp' | 'avif' | 'tiff' | 'gif' | 'heif' | 'jxl' | 'jpg'
    /** width of the result; with height it fits inside both */
    width?: number | `${number}${string}`
    /** height of the result */
    height?: number | `${number}${string}`
    /** times the size that dpi gives; ignored with width or height */
    scale?: number
    /** dots per inch, where the drawing's own size is at 72 */
    dpi?: number
    /** colour behind the drawing; with alpha 00 there is none, where the format can */
    background?: string
    /** 100 is best */
    quality?: number
  }
  /** Write styled text on an image with optional backing box */
  'image/text-overlay': {
    /** what to write; line breaks start new lines */
    text: string
    /** the letters; any other name is sans-serif */
    font?: 'sans-serif' | 'serif' | 'monospace' | 'anton' | 'arial-black' | 'comic-sans' | 'montserrat' | 'bebas-neue' | 'permanent-marker' | 'roboto'
    /** size of the letters */
    fontSize?: number | `${number}${string}`
    /** colour of the letters */
    color?: string
    /** left edge of the text or its box; centred by default */
    x?: number | `${number}${string}`
    /** top edge of the text or its box; by default as position says */
    y?: number | `${number}${string}`
    /** a box behind the text, or transparent for none; wins over backgroundBox */
    background?: string
    /** space around the text in a box */
    padding?: number | `${number}${string}`
    /** rounding of the corners of a box */
    borderRadius?: number | `${number}${string}`
    /** where the text stands without y */
    position?: 'top' | 'center' | 'bottom'
    /** a band behind the text, as wide as the image */
    backgroundBox?: boolean
    /** colour of the band */
    backgroundColor?: string
    /** a soft shadow under the letters */
    shadow?: boolean
  }
  /** Turn fake or fringed transparency into clean alpha */
  'image/transparency-fixer': {
    /** how much of a faint rim is taken off; 0 takes nothing */
    defringe?: number
    /** the format to write, without loss */
    outputFormat?: 'png' | 'webp'
    /** take a faint watermark out before the subject is looked for */
    removeWatermark?: boolean
    /** keep the colours under transparent pixels: a program can show the old background again */
    keepColors?: boolean
  }
  /** Enlarge an image by super-resolution */
  'image/upscale': {
    /** how many times as wide and as high */
    scale?: number
    /** auto, realesrgan, rdn (comes with the program) or lanczos (no model) */
    model?: string
    /** restore faces afterwards, as enhance-faces does; skipped where its models are missing */
    faceEnhance?: boolean
    /** how much noise is taken out first; 0 is off */
    denoise?: number
    /** the format to write; auto keeps that of the input */
    format?: 'auto' | 'png' | 'jpg' | 'jpeg' | 'webp' | 'tiff' | 'gif' | 'avif' | 'heic' | 'heif' | 'jxl'
    /** of lossy formats; 100 is best */
    quality?: number
  }
  /** Trace a picture into an SVG drawing */
  'image/vectorize': {
    /** black shapes on nothing, or layers of colours */
    colorMode?: 'bw' | 'color'
    /** what is darker becomes black */
    threshold?: number
    /** bits of each channel that count; over 8 is 8 */
    colorPrecision?: number
    /** how far two layers are apart at least */
    layerDifference?: number
    /** smaller areas are left out */
    filterSpeckle?: number | `${number}${string}`
    /** outlines as stairs, straight lines or curves */
    pathMode?: 'none' | 'polygon' | 'spline'
    /** sharper turns stay corners */
    cornerThreshold?: number | `${number}${string}`
    /** turn the colours around first */
    invert?: boolean
  }
  /** Fade the image edges towards a colour */
  'image/vignette': {
    /** opacity of the colour at the rim */
    strength?: number
    /** colour of the rim */
    color?: string
    /** where the fade ends, of the distance from the centre to a corner */
    radius?: number | `${number}${string}`
    /** width of the fade, of the radius */
    softness?: number | `${number}${string}`
    /** 100 is a circle, 0 an ellipse in the proportions of the image */
    roundness?: number
    /** centre from the left */
    centerX?: number | `${number}${string}`
    /** centre from the top */
    centerY?: number | `${number}${string}`
  }
  /** Overlay a logo at a corner or the centre */
  'image/watermark-image': {
    /** where the logo stands */
    position?: 'center' | 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right'
    /** 100 covers fully */
    opacity?: number | `${number}${string}`
    /** width of the logo, of the width of the image */
    scale?: number | `${number}${string}`
  }
  /** Stamp text once or tiled over an image */
  'image/watermark-text': {
    /** what to write */
    text: string
    /** the letters; any other name is sans-serif */
    font?: 'sans-serif' | 'serif' | 'monospace' | 'anton' | 'arial-black' | 'comic-sans' | 'montserrat' | 'bebas-neue' | 'permanent-marker' | 'roboto'
    /** size of the letters */
    fontSize?: number | `${number}${string}`
    /** colour of the letters */
    color?: string
    /** 100 covers fully */
    opacity?: number | `${number}${string}`
    /** where the text stands; a corner is as far from both edges as the letters are high */
    position?: 'center' | 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right' | 'tiled'
    /** clockwise, about the corner or the middle of the text */
    rotation?: number | `${number}${string}`
    /** as position tiled: all over the image */
    tile?: boolean
  }
  /** Convert JPG to PNG */
  'image/jpg-to-png': {
    /** no effect with format png */
    quality?: number
  }
  /** Convert PNG to JPG */
  'image/png-to-jpg': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert JPG to WEBP */
  'image/jpg-to-webp': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert PNG to WEBP */
  'image/png-to-webp': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert WEBP to JPG */
  'image/webp-to-jpg': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert WEBP to PNG */
  'image/webp-to-png': {
    /** no effect with format png */
    quality?: number
  }
  /** Convert JPG to AVIF */
  'image/jpg-to-avif': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert PNG to AVIF */
  'image/png-to-avif': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert WEBP to AVIF */
  'image/webp-to-avif': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert HEIC to JPG */
  'image/heic-to-jpg': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert HEIC to PNG */
  'image/heic-to-png': {
    /** no effect with format png */
    quality?: number
  }
  /** Convert HEIC to AVIF */
  'image/heic-to-avif': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert JPG to GIF */
  'image/jpg-to-gif': {
    /** no effect with format gif */
    quality?: number
  }
  /** Convert PNG to GIF */
  'image/png-to-gif': {
    /** no effect with format gif */
    quality?: number
  }
  /** Convert GIF to JPG */
  'image/gif-to-jpg': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert GIF to PNG */
  'image/gif-to-png': {
    /** no effect with format png */
    quality?: number
  }
  /** Convert WEBP to GIF */
  'image/webp-to-gif': {
    /** no effect with format gif */
    quality?: number
  }
  /** Convert JPG to TIFF */
  'image/jpg-to-tiff': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert PNG to TIFF */
  'image/png-to-tiff': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert TIFF to JPG */
  'image/tiff-to-jpg': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert TIFF to PNG */
  'image/tiff-to-png': {
    /** no effect with format png */
    quality?: number
  }
  /** Convert PSD to JPG */
  'image/psd-to-jpg': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert PSD to PNG */
  'image/psd-to-png': {
    /** no effect with format png */
    quality?: number
  }
  /** Convert PNG to EPS */
  'image/png-to-eps': {
    /** no effect with format eps */
    quality?: number
  }
  /** Convert JPG to EPS */
  'image/jpg-to-eps': {
    /** no effect with format eps */
    quality?: number
  }
  /** Convert EPS to PNG */
  'image/eps-to-png': {
    /** no effect with format png */
    quality?: number
  }
  /** Convert EPS to JPG */
  'image/eps-to-jpg': {
    /** 100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80 */
    quality?: number
  }
  /** Convert SVG to PNG */
  'image/svg-to-png': {
    /** no effect with format png */
    quality?: number
    /** width of the result; with height it fits inside both */
    width?: number | `${number}${string}`
    /** height of the result */
    height?: number | `${number}${string}`
    /** dots per inch, where the drawing's own size is at 72 */
    dpi?: number
    /** colour behind the drawing; with alpha 00 there is none, where the format can */
    background?: string
  }
  /** Convert SVG to JPG */
  'image/svg-to-jpg': {
    /** 100 is best */
    quality?: number
    /** width of the result; with height it fits inside both */
    width?: number | `${number}${string}`
    /** height of the result */
    height?: number | `${number}${string}`
    /** dots per inch, where the drawing's own size is at 72 */
    dpi?: number
    /** colour behind the drawing; with alpha 00 there is none, where the format can */
    background?: string
  }
  /** Convert JPG to PDF */
  'image/jpg-to-pdf': {
    /** size of the pages */
    pageSize?: 'A4' | 'Letter' | 'A3' | 'A5'
    /** how the pages lie */
    orientation?: 'portrait' | 'landscape'
    /** free space on each edge of a page */
    margin?: number | `${number}${string}`
    /** largest size of the result, at least 50 KB; pictures become JPEG where they must */
    targetSize?: {
      /** how many */
      value: number
      /** of 1024 or 1048576 bytes */
      unit: 'KB' | 'MB'
    }
    /** all pictures in one PDF; off: a PDF for each */
    collate?: boolean
  }
  /** Convert PNG to PDF */
  'image/png-to-pdf': {
    /** size of the pages */
    pageSize?: 'A4' | 'Letter' | 'A3' | 'A5'
    /** how the pages lie */
    orientation?: 'portrait' | 'landscape'
    /** free space on each edge of a page */
    margin?: number | `${number}${string}`
    /** largest size of the result, at least 50 KB; pictures become JPEG where they must */
    targetSize?: {
      /** how many */
      value: number
      /** of 1024 or 1048576 bytes */
      unit: 'KB' | 'MB'
    }
    /** all pictures in one PDF; off: a PDF for each */
    collate?: boolean
  }
  /** Convert HEIC to PDF */
  'image/heic-to-pdf': {
    /** size of the pages */
    pageSize?: 'A4' | 'Letter' | 'A3' | 'A5'
    /** how the pages lie */
    orientation?: 'portrait' | 'landscape'
    /** free space on each edge of a page */
    margin?: number | `${number}${string}`
    /** largest size of the result, at least 50 KB; pictures become JPEG where they must */
    targetSize?: {
      /** how many */
      value: number
      /** of 1024 or 1048576 bytes */
      unit: 'KB' | 'MB'
    }
    /** all pictures in one PDF; off: a PDF for each */
    collate?: boolean
  }
  /** Convert TIFF to PDF */
  'image/tiff-to-pdf': {
    /** size of the pages */
    pageSize?: 'A4' | 'Letter' | 'A3' | 'A5'
    /** how the pages lie */
    orientation?: 'portrait' | 'landscape'
    /** free space on each edge of a page */
    margin?: number | `${number}${string}`
    /** largest size of the result, at least 50 KB; pictures become JPEG where they must */
    targetSize?: {
      /** how many */
      value: number
      /** of 1024 or 1048576 bytes */
      unit: 'KB' | 'MB'
    }
    /** all pictures in one PDF; off: a PDF for each */
    collate?: boolean
  }
  /** Convert WEBP to PDF */
  'image/webp-to-pdf': {
    /** size of the pages */
    pageSize?: 'A4' | 'Letter' | 'A3' | 'A5'
    /** how the pages lie */
    orientation?: 'portrait' | 'landscape'
    /** free space on each edge of a page */
    margin?: number | `${number}${string}`
    /** largest size of the result, at least 50 KB; pictures become JPEG where they must */
    targetSize?: {
      /** how many */
      value: number
      /** of 1024 or 1048576 bytes */
      unit: 'KB' | 'MB'
    }
    /** all pictures in one PDF; off: a PDF for each */
    collate?: boolean
  }
  /** Convert GIF to PDF */
  'image/gif-to-pdf': {
    /** size of the pages */
    pageSize?: 'A4' | 'Letter' | 'A3' | 'A5'
    /** how the pages lie */
    orientation?: 'portrait' | 'landscape'
    /** free space on each edge of a page */
    margin?: number | `${number}${string}`
    /** largest size of the result, at least 50 KB; pictures become JPEG where they must */
    targetSize?: {
      /** how many */
      value: number
      /** of 1024 or 1048576 bytes */
      unit: 'KB' | 'MB'
    }
    /** all pictures in one PDF; off: a PDF for each */
    collate?: boolean
  }
  /** Convert EPS to PDF */
  'image/eps-to-pdf': {
    /** size of the pages */
    pageSize?: 'A4' | 'Letter' | 'A3' | 'A5'
    /** how the pages lie */
    orientation?: 'portrait' | 'landscape'
    /** free space on each edge of a page */
    margin?: number | `${number}${string}`
    /** largest size of the result, at least 50 KB; pictures become JPEG where they must */
    targetSize?: {
      /** how many */
      value: number
      /** of 1024 or 1048576 bytes */
      unit: 'KB' | 'MB'
    }
    /** all pictures in one PDF; off: a PDF for each */
    collate?: boolean
  }
  /** Convert PNG to SVG */
  'image/png-to-svg': Record<string, never>
  /** Convert JPG to SVG */
  'image/jpg-to-svg': Record<string, never>
  /** Convert TIFF to SVG */
  'image/tiff-to-svg': Record<string, never>
  /** Convert PSD to SVG */
  'image/psd-to-svg': Record<string, never>
  /** Convert EPS to SVG */
  'image/eps-to-svg': Record<string, never>
  /** Shrink an image to at most 20 kB */
  'image/compress-image-to-20kb': Record<string, never>
  /** Shrink an image to at most 50 kB */
  'image/compress-image-to-50kb': Record<string, never>
  /** Shrink an image to at most 100 kB */
  'image/compress-image-to-100kb': Record<string, never>
  /** Shrink an image to at most 200 kB */
  'image/compress-image-to-200kb': Record<string, never>
  /** Shrink an image to at most 500 kB */
  'image/compress-image-to-500kb': Record<string, never>
  /** Add solid bars to reach a target aspect ratio */
  'video/aspect-pad': {
    /** the shape of the result, width to height */
    target?: '16:9' | '9:16' | '1:1' | '4:3' | '3:4'
    /** colour of the bars */
    color?: string
  }
  /** Create a subtitle file from a video's speech */
  'video/auto-subtitles': {
    /** what is spoken; auto listens to the first half minute */
    language?: 'auto' | 'en' | 'de' | 'fr' | 'es' | 'zh' | 'ja' | 'ko' | 'id' | 'th' | 'vi'
    /** the format to write; WebVTT is for web pages */
    format?: 'srt' | 'vtt'
  }
  /** Fill the bars with a blurred copy of the video */
  'video/blur-pad': {
    /** the shape of the result, width to height */
    target?: '16:9' | '9:16' | '1:1' | '4:3' | '3:4'
    /** how far the background is blurred */
    blur?: number | `${number}${string}`
  }
  /** Draw subtitles permanently onto the video */
  'video/burn-subtitles': {
    /** how the subtitle file is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
    /** size of the letters, in parts of 288 of the height of the picture */
    fontSize?: number
  }
  /** Change the frame rate of a video */
  'video/change-fps': {
    /** frames per second; 23.976, 29.97 and 59.94 are taken for the rates of NTSC */
    fps?: number
  }
  /** Shrink a video by quality level and optional downscale */
  'video/compress-video': {
    /** how far it is compressed: strong is smallest */
    quality?: 'light' | 'balanced' | 'strong'
    /** height of the result at most; nothing is enlarged */
    resolution?: 'original' | '1080p' | '720p' | '480p'
  }
  /** Re-encode a video into MP4, MOV, WebM, AVI or MKV */
  'video/convert-video': {
    /** the format to write */
    format?: 'mp4' | 'mov' | 'webm' | 'avi' | 'mkv'
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Cut a rectangle out of every frame */
  'video/crop-video': {
    /** width of the rectangle; made even */
    width: number | `${number}${string}`
    /** height of the rectangle; made even */
    height: number | `${number}${string}`
    /** its distance from the left */
    x?: number | `${number}${string}`
    /** its distance from the top */
    y?: number | `${number}${string}`
  }
  /** Add a subtitle file to a video as a switchable track */
  'video/embed-subtitles': {
    /** how the subtitle file is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
    /** what language they are in, as three letters (ISO 639-2) */
    language?: string
  }
  /** Save a video's sound as MP3, WAV, M4A or OGG */
  'video/extract-audio': {
    /** the format to write; AAC into m4a is copied without loss */
    format?: 'mp3' | 'wav' | 'm4a' | 'ogg'
  }
  /** Save a video's first subtitle track as SRT */
  'video/extract-subtitles': Record<string, never>
  /** Turn an animated GIF into a compact video */
  'video/gif-to-video': {
    /** the format to write */
    format?: 'mp4' | 'webm' | 'mov'
  }
  /** Make an MP4 slideshow from 2 to 60 images */
  'video/images-to-video': {
    /** how long each image is shown */
    secondsPerImage?: number | `${number}${string}`
    /** size of the video: 1920x1080, 1280x720 or 1080x1080 */
    resolution?: '1080p' | '720p' | 'square'
    /** frames per second */
    fps?: number
  }
  /** Join 2 to 10 videos end to end into one MP4 */
  'video/merge-videos': Record<string, never>
  /** Drop the audio tracks of a video without re-encoding */
  'video/mute-video': Record<string, never>
  /** Swap the audio of a video for another audio file */
  'video/replace-audio': Record<string, never>
  /** Scale a video to a size or a named height */
  'video/resize-video': {
    /** width of the result; made even */
    width?: number | `${number}${string}`
    /** height of the result; made even */
    height?: number | `${number}${string}`
    /** a named height; the width follows */
    preset?: 'custom' | '2160p' | '1440p' | '1080p' | '720p' | '480p' | '360p'
  }
  /** Play a video and its sound backwards */
  'video/reverse-video': Record<string, never>
  /** Rotate by quarter turns or mirror a video */
  'video/rotate-video': {
    /** a turn (clockwise, against it, half) or a mirror */
    transform: 'cw90' | 'ccw90' | '180' | 'hflip' | 'vflip'
  }
  /** Reduce camera shake in two passes */
  'video/stabilize-video': {
    /** how many frames before and after each one its place is evened out over */
    smoothing?: number | `${number}${string}`
  }
  /** Cut one clip out of a video by start and end time */
  'video/trim-video': {
    /** where the clip begins */
    startS?: number | `${number}${string}`
    /** where the clip ends */
    endS: number | `${number}${string}`
    /** cut to the frame, which encodes again; otherwise copied from the key frame before */
    precise?: boolean
  }
  /** Adjust brightness, contrast, saturation and gamma */
  'video/video-color': {
    /** 0 changes nothing */
    brightness?: number
    /** 1 changes nothing, 0 is flat */
    contrast?: number
    /** 1 changes nothing, 0 is grey */
    saturation?: number
    /** above 1 brighter in the middle tones, below darker */
    gamma?: number
  }
  /** Normalise a video's loudness to EBU R128 targets */
  'video/video-loudnorm': Record<string, never>
  /** Strip container metadata and report what the file was */
  'video/video-metadata': Record<string, never>
  /** Play a video faster or slower */
  'video/video-speed': {
    /** 2 is twice as fast, 0.5 half as fast */
    factor?: number
    /** voices keep their pitch; otherwise they get higher when faster, as on tape */
    keepPitch?: boolean
  }
  /** Extract frames of a video into a ZIP of images */
  'video/video-to-frames': {
    /** which frames */
    mode?: 'all' | 'nth' | 'timestamps'
    /** every n-th frame, from the first */
    n?: number
    /** seconds, separated by commas */
    timestamps?: string | readonly (string | number)[]
    /** the format of the images */
    format?: 'png' | 'jpg' | 'jpeg'
  }
  /** Turn part of a video into an animated GIF */
  'video/video-to-gif': {
    /** frames per second */
    fps?: number
    /** width of the result; the height follows */
    width?: number | `${number}${string}`
    /** where it begins */
    startS?: number | `${number}${string}`
    /** how long it is */
    durationS?: number | `${number}${string}`
  }
  /** Turn a video into an animated WebP */
  'video/video-to-webp': {
    /** frames per second */
    fps?: number
    /** width of the result; the height follows */
    width?: number | `${number}${string}`
    /** 100 is best */
    quality?: number
    /** repeat without end; otherwise play once */
    loop?: boolean
  }
  /** Draw a text watermark on every frame */
  'video/watermark-video': {
    /** what to write */
    text: string
    /** where it stands: top, middle or bottom, left, centre or right */
    position?: 'tl' | 'tc' | 'tr' | 'l' | 'c' | 'r' | 'bl' | 'bc' | 'br'
    /** size of the letters */
    fontSize?: number | `${number}${string}`
    /** 1 covers fully */
    opacity?: number
    /** colour of the letters */
    color?: string
  }
  /** Convert MOV to MP4 */
  'video/mov-to-mp4': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert WEBM to MP4 */
  'video/webm-to-mp4': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert MKV to MP4 */
  'video/mkv-to-mp4': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert AVI to MP4 */
  'video/avi-to-mp4': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert MP4 to MOV */
  'video/mp4-to-mov': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert MP4 to WEBM */
  'video/mp4-to-webm': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert WEBM to MOV */
  'video/webm-to-mov': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert MKV to MOV */
  'video/mkv-to-mov': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert AVI to MOV */
  'video/avi-to-mov': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert MP4 to AVI */
  'video/mp4-to-avi': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert MOV to AVI */
  'video/mov-to-avi': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert MKV to AVI */
  'video/mkv-to-avi': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert AVI to MKV */
  'video/avi-to-mkv': {
    /** high keeps most, small is smallest */
    quality?: 'high' | 'balanced' | 'small'
  }
  /** Convert MP4 to GIF */
  'video/mp4-to-gif': {
    /** frames per second */
    fps?: number
    /** width of the result; the height follows */
    width?: number | `${number}${string}`
    /** where it begins */
    startS?: number | `${number}${string}`
    /** how long it is */
    durationS?: number | `${number}${string}`
  }
  /** Convert MOV to GIF */
  'video/mov-to-gif': {
    /** frames per second */
    fps?: number
    /** width of the result; the height follows */
    width?: number | `${number}${string}`
    /** where it begins */
    startS?: number | `${number}${string}`
    /** how long it is */
    durationS?: number | `${number}${string}`
  }
  /** Convert MKV to GIF */
  'video/mkv-to-gif': {
    /** frames per second */
    fps?: number
    /** width of the result; the height follows */
    width?: number | `${number}${string}`
    /** where it begins */
    startS?: number | `${number}${string}`
    /** how long it is */
    durationS?: number | `${number}${string}`
  }
  /** Convert AVI to GIF */
  'video/avi-to-gif': {
    /** frames per second */
    fps?: number
    /** width of the result; the height follows */
    width?: number | `${number}${string}`
    /** where it begins */
    startS?: number | `${number}${string}`
    /** how long it is */
    durationS?: number | `${number}${string}`
  }
  /** Convert MP4 to MP3 */
  'video/mp4-to-mp3': Record<string, never>
  /** Convert MOV to MP3 */
  'video/mov-to-mp3': Record<string, never>
  /** Convert MKV to MP3 */
  'video/mkv-to-mp3': Record<string, never>
  /** Convert WEBM to MP3 */
  'video/webm-to-mp3': Record<string, never>
  /** Convert AVI to MP3 */
  'video/avi-to-mp3': Record<string, never>
  /** Convert MP4 to WAV */
  'video/mp4-to-wav': Record<string, never>
  /** Convert MOV to WAV */
  'video/mov-to-wav': Record<string, never>
  /** Convert MP4 to OGG */
  'video/mp4-to-ogg': Record<string, never>
  /** Convert GIF to MP4 */
  'video/gif-to-mp4': Record<string, never>
  /** Convert GIF to WEBM */
  'video/gif-to-webm': Record<string, never>
  /** Convert GIF to MOV */
  'video/gif-to-mov': Record<string, never>
  /** Mix to mono, widen to stereo, or swap sides */
  'audio/audio-channels': {
    /** what to do; more than two channels are mixed first */
    mode: 'stereo-to-mono' | 'mono-to-stereo' | 'swap'
  }
  /** Read, set or strip title, artist and album tags */
  'audio/audio-metadata': {
    /** take every tag out; title, artist and album then have no effect */
    strip?: boolean
    /** the title; empty to clear it */
    title?: string
    /** who plays; empty to clear it */
    artist?: string
    /** the album; empty to clear it */
    album?: string
  }
  /** Change playback speed, keeping the pitch */
  'audio/audio-speed': {
    /** 2 is twice as fast, 0.5 half as fast */
    factor?: number
  }
  /** Convert audio to MP3, WAV, OGG, FLAC or M4A */
  'audio/convert-audio': {
    /** the format to write */
    format?: 'mp3' | 'wav' | 'ogg' | 'flac' | 'm4a'
    /** more is better */
    bitrateKbps?: number | `${number}${string}`
    /** samples per second; by default the source's */
    sampleRate?: 8000 | 16000 | 22050 | 32000 | 44100 | 48000 | 96000
  }
  /** Fade the beginning in and the end out */
  'audio/fade-audio': {
    /** length of the fade at the beginning; 0 for none */
    fadeInS?: number | `${number}${string}`
    /** length of the fade at the end; 0 for none */
    fadeOutS?: number | `${number}${string}`
  }
  /** Join 2 to 10 audio files end to end */
  'audio/merge-audio': {
    /** the format to write */
    format?: 'mp3' | 'wav' | 'flac' | 'm4a'
  }
  /** Reduce steady background noise */
  'audio/noise-reduction': {
    /** strong takes most noise, and some of the sound */
    strength?: 'light' | 'medium' | 'strong'
  }
  /** Normalise loudness to -16 LUFS after EBU R128 */
  'audio/normalize-audio': Record<string, never>
  /** Shift the pitch by semitones, keeping the length */
  'audio/pitch-shift': {
    /** above 0 higher, below 0 lower; 12 are an octave */
    semitones?: number
  }
  /** Play an audio file backwards */
  'audio/reverse-audio': Record<string, never>
  /** Cut a ringtone of at most 30 seconds */
  'audio/ringtone-maker': {
    /** where it begins */
    startS?: number | `${number}${string}`
    /** how long it is; less where the audio ends before */
    durationS?: number | `${number}${string}`
  }
  /** Cut silent stretches out of an audio file */
  'audio/silence-removal': {
    /** what is quieter is silence */
    thresholdDb?: number | `${number}${string}`
    /** shorter pauses stay */
    minSilenceS?: number | `${number}${string}`
  }
  /** Split audio by time, count or silence into a ZIP */
  'audio/split-audio': {
    /** where to cut */
    mode?: 'time' | 'parts' | 'silence'
    /** length of a part; the last takes what is left */
    segmentS?: number | `${number}${string}`
    /** how many parts of the same length */
    parts?: number
    /** what is quieter is silence */
    thresholdDb?: number | `${number}${string}`
    /** shorter pauses are not cut at */
    minSilenceS?: number | `${number}${string}`
  }
  /** Turn speech into text, SRT or WebVTT */
  'audio/transcribe-audio': {
    /** what is spoken; auto listens to the first half minute */
    language?: 'auto' | 'en' | 'de' | 'fr' | 'es' | 'zh' | 'ja' | 'ko' | 'id' | 'th' | 'vi'
    /** the text alone, or subtitles with times */
    outputFormat?: 'txt' | 'srt' | 'vtt'
  }
  /** Keep one time range of an audio file */
  'audio/trim-audio': {
    /** where it begins */
    startS?: number | `${number}${string}`
    /** where it ends */
    endS: number | `${number}${string}`
  }
  /** Raise or lower the volume by a fixed gain */
  'audio/volume-adjust': {
    /** above 0 louder, below 0 quieter */
    gainDb?: number | `${number}${string}`
  }
  /** Draw an audio file's waveform as a PNG */
  'audio/waveform-image': {
    /** width of the picture */
    width?: number | `${number}${string}`
    /** height of the picture */
    height?: number | `${number}${string}`
    /** colour of the wave */
    color?: string
  }
  /** Convert M4A to MP3 */
  'audio/m4a-to-mp3': Record<string, never>
  /** Convert M4A to WAV */
  'audio/m4a-to-wav': Record<string, never>
  /** Convert AAC to MP3 */
  'audio/aac-to-mp3': Record<string, never>
  /** Convert AAC to WAV */
  'audio/aac-to-wav': Record<string, never>
  /** Convert AAC to FLAC */
  'audio/aac-to-flac': Record<string, never>
  /** Convert OGG to MP3 */
  'audio/ogg-to-mp3': Record<string, never>
  /** Convert OGG to WAV */
  'audio/ogg-to-wav': Record<string, never>
  /** Convert WAV to MP3 */
  'audio/wav-to-mp3': Record<string, never>
  /** Convert MP3 to WAV */
  'audio/mp3-to-wav': Record<string, never>
  /** Convert FLAC to MP3 */
  'audio/flac-to-mp3': Record<string, never>
  /** Impose pages for duplex printing and folding */
  'pdf/booklet-pdf': {
    /** pages on each side of an A4 sheet */
    perSheet?: 2 | 4 | 6 | 8
  }
  /** Shrink a PDF by re-encoding its images, by quality or target size */
  'pdf/compress-pdf': {
    /** what decides the size */
    mode?: 'quality' | 'targetSize'
    /** 100 is best; below 50 images also get fewer dots per inch */
    quality?: number
    /** largest size of the result; 1 kB = 1000 bytes */
    targetSizeKb?: number | `${number}${string}`
    /** @deprecated use quality */
    preset?: 'screen' | 'ebook' | 'printer'
  }
  /** Trim the same margin off all four sides of every page */
  'pdf/crop-pdf': {
    /** cut off each side of what is shown; what is hidden stays in the file */
    margin?: number | `${number}${string}`
  }
  /** Copy chosen pages into a new PDF, in the order given */
  'pdf/extract-pages': {
    /** pages such as 1-5,8,10-z; z is the last, r2 the one before; order counts */
    range: string
  }
  /** Bake form fields and annotations into the page */
  'pdf/flatten-pdf': Record<string, never>
  /** Turn every colour in a PDF to gray */
  'pdf/grayscale-pdf': Record<string, never>
  /** Reorder a PDF for fast web viewing */
  'pdf/linearize-pdf': Record<string, never>
  /** Join several PDFs into one, in the order given */
  'pdf/merge-pdf': Record<string, never>
  /** Assemble one PDF from a page plan over several PDFs */
  'pdf/multi-tool-pdf': {
    /** the pages of the result, in order; a page may come several times */
    items: readonly ({
      /** the file, counted from 0 */
      doc: number
      /** the page, counted from 1 */
      page: number
      /** clockwise, added to how the page is turned now */
      rot?: 90 | 180 | 270
    })[]
    /** how many pages each file has */
    pageCounts: readonly (number)[]
  }
  /** Put several pages on each sheet */
  'pdf/nup-pdf': {
    /** pages on each sheet, which is as large as the first page */
    perSheet?: 2 | 3 | 4 | 8 | 9 | 12 | 16
  }
  /** Read scanned PDF pages into text */
  'pdf/ocr-pdf': {
    /** fast is Tesseract; balanced and best are models that find and read lines */
    quality?: 'fast' | 'balanced' | 'best'
    /** what the text is written in; auto detects the script */
    language?: 'auto' | 'en' | 'de' | 'fr' | 'es' | 'zh' | 'ja' | 'ko'
    /** all, or pages such as 1-3,5; at most 50 */
    pages?: string
    /** text; the PDF with invisible text on its pages; or text with places */
    format?: 'txt' | 'pdf' | 'json'
    /** raise the contrast around each place first; by default with quality best */
    enhance?: boolean
    /** @deprecated use quality */
    engine?: 'tesseract' | 'paddleocr'
  }
  /** Rebuild a PDF with its pages in the order given */
  'pdf/organize-pdf': {
    /** all pages of the result, such as 3,1,2,5-z; one named twice is there twice */
    order: string
  }
  /** Read or change title, author, subject and keywords */
  'pdf/pdf-metadata': {
    /** an empty text removes it */
    title?: string
    /** an empty text removes it */
    author?: string
    /** an empty text removes it */
    subject?: string
    /** an empty text removes them */
    keywords?: string
  }
  /** Print a page number on every page */
  'pdf/pdf-page-numbers': {
    /** bottom or top; left, centre or right */
    position?: 'bl' | 'bc' | 'br' | 'tl' | 'tc' | 'tr'
    /** size of the letters */
    fontSize?: number | `${number}${string}`
  }
  /** Render PDF pages to image files */
  'pdf/pdf-to-image': {
    /** the format to write */
    format?: 'png' | 'jpg' | 'webp' | 'avif' | 'tiff' | 'gif' | 'heic' | 'heif' | 'jxl' | 'jpeg'
    /** pixels per inch */
    dpi?: number | `${number}${string}`
    /** 100 is best */
    quality?: number
    /** colours, grey, or black and white */
    colorMode?: 'color' | 'grayscale' | 'bw'
    /** all, or pages such as 1-3,5 */
    pages?: string
  }
  /** Report the number of pages and their sizes */
  'pdf/pdf-to-image/info': Record<string, never>
  /** Small pictures of the pages, as data URIs */
  'pdf/pdf-to-image/preview': {
    /** only this page; all by default */
    page?: number
  }
  /** Extract the text layer as UTF-8 text */
  'pdf/pdf-to-text': Record<string, never>
  /** Convert a text PDF to a Word document */
  'pdf/pdf-to-word': Record<string, never>
  /** Convert to archival PDF/A-2 */
  'pdf/pdfa-convert': Record<string, never>
  /** Encrypt a PDF with AES-256 passwords */
  'pdf/protect-pdf': {
    /** asked for when the file is opened */
    userPassword: string
    /** lifts restrictions; by default the same */
    ownerPassword?: string
    /** without the owner password, in readers that honour permissions */
    printing?: 'none' | 'low' | 'full'
    /** text and pictures, without the owner password; screen readers always may */
    copying?: boolean
    /** changing pages, without the owner password */
    modifying?: boolean
    /** comments and form fields, without the owner password */
    annotating?: boolean
    /** without the owner password; part of annotating */
    formFilling?: boolean
    /** adding, removing and turning pages, without the owner password */
    assembling?: boolean
  }
  /** Remove every occurrence of given words for good */
  'pdf/redact-pdf': {
    /** what is removed, literally */
    terms: readonly (string)[]
    /** only in this spelling of small and capital letters */
    caseSensitive?: boolean
  }
  /** Delete chosen pages, keep the rest in order */
  'pdf/remove-pages': {
    /** pages to delete, such as 2,5-8,z; z is the last, r2 the one before */
    pages: string
  }
  /** Rebuild the structure of a damaged PDF */
  'pdf/repair-pdf': Record<string, never>
  /** Turn all or selected pages clockwise by 90, 180 or 270 degrees */
  'pdf/rotate-pdf': {
    /** clockwise, added to how the page is turned now */
    angle?: 90 | 180 | 270
    /** pages to turn, such as 1-3,z */
    range?: string
  }
  /** Stamp signature images onto pages of a PDF */
  'pdf/sign-pdf': {
    /** where the pictures go, drawn in this order */
    placements: readonly ({
      /** the picture: N of sigN */
      sig: number
      /** the page, counted from 0 */
      page: number
      /** left edge, as a part of the width as shown */
      x: number
      /** top edge, as a part of the height as shown */
      y: number
      /** width, as a part of the width */
      w: number
      /** height, as a part of the height */
      h: number
    })[]
  }
  /** Take a page range out, or cut into chunks of N pages */
  'pdf/split-pdf': {
    /** one PDF of a range, or a set of equal parts */
    mode?: 'range' | 'every'
    /** pages such as 1-5,8,10-z; z is the last, r2 the one before; order counts */
    range?: string
    /** pages in each part */
    everyN?: number
  }
  /** Remove the password of a PDF, given the password */
  'pdf/unlock-pdf': {
    /** the user or the owner password */
    password: string
  }
  /** Stamp one text on every page */
  'pdf/watermark-pdf': {
    /** %p is the page number, %P the number of pages */
    text: string
    /** top, middle or bottom; left, centre or right */
    position?: 'tl' | 'tc' | 'tr' | 'l' | 'c' | 'r' | 'bl' | 'bc' | 'br'
    /** size of the letters */
    fontSize?: number | `${number}${string}`
    /** 1 covers fully */
    opacity?: number
    /** counter-clockwise */
    rotation?: number | `${number}${string}`
  }
  /** Convert PDF to JPG */
  'pdf/pdf-to-jpg': {
    /** pixels per inch */
    dpi?: number | `${number}${string}`
    /** 100 is best */
    quality?: number
    /** colours, grey, or black and white */
    colorMode?: 'color' | 'grayscale' | 'bw'
    /** all, or pages such as 1-3,5 */
    pages?: string
  }
  /** Convert PDF to PNG */
  'pdf/pdf-to-png': {
    /** pixels per inch */
    dpi?: number | `${number}${string}`
    /** no effect with format png */
    quality?: number
    /** colours, grey, or black and white */
    colorMode?: 'color' | 'grayscale' | 'bw'
    /** all, or pages such as 1-3,5 */
    pages?: string
  }
  /** Convert PDF to TIFF */
  'pdf/pdf-to-tiff': {
    /** pixels per inch */
    dpi?: number | `${number}${string}`
    /** 100 is best */
    quality?: number
    /** colours, grey, or black and white */
    colorMode?: 'color' | 'grayscale' | 'bw'
    /** all, or pages such as 1-3,5 */
    pages?: string
  }
  /** Shrink a PDF to at most 100 kB */
  'pdf/compress-pdf-to-100kb': Record<string, never>
  /** Shrink a PDF to at most 200 kB */
  'pdf/compress-pdf-to-200kb': Record<string, never>
  /** Shrink a PDF to at most 500 kB */
  'pdf/compress-pdf-to-500kb': Record<string, never>
  /** Shrink a PDF to at most 1000 kB */
  'pdf/compress-pdf-to-1mb': Record<string, never>
  /** Shrink a PDF to at most 2000 kB */
  'pdf/compress-pdf-to-2mb': Record<string, never>
  /** Draw a bar, line or pie chart from CSV or JSON as PNG */
  'files/chart-maker': {
    /** how values are shown */
    kind?: 'bar' | 'line' | 'pie'
    /** what stands above the chart */
    title?: string
    /** width of the picture */
    width?: number | `${number}${string}`
    /** how the table is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
    /** height of the picture */
    height?: number | `${number}${string}`
  }
  /** Convert between DOCX, ODT, RTF and plain text */
  'files/convert-document': {
    /** the format to write; txt is UTF-8 without any formatting */
    format: 'docx' | 'odt' | 'rtf' | 'txt'
    /** how plain text is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Convert between PPTX and ODP */
  'files/convert-presentation': {
    /** the format to write; animations may be lost */
    format: 'pptx' | 'odp'
  }
  /** Convert between XLSX, ODS and CSV */
  'files/convert-spreadsheet': {
    /** the format to write; csv takes one sheet */
    format: 'xlsx' | 'ods' | 'csv'
    /** which sheet becomes a CSV file: its name, or its number from 1; the first by default */
    sheet?: string
    /** how a CSV file is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Write every sheet of a spreadsheet as a CSV file */
  'files/convert-spreadsheet/sheets': Record<string, never>
  /** Pack several files of any kind into one ZIP */
  'files/create-zip': Record<string, never>
  /** Convert CSV or TSV to XLSX and XLSX to CSV */
  'files/csv-excel': {
    /** which worksheet of an XLSX, from 1 */
    sheet?: number
    /** how the table is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Convert CSV or TSV to JSON and JSON to CSV */
  'files/csv-json': {
    /** JSON with line breaks and indents */
    pretty?: boolean
    /** how the file is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Convert an EPUB book to PDF, DOCX, HTML or Markdown */
  'files/epub-convert': {
    /** the format to write; the styles of the book give way to plain ones */
    format: 'pdf' | 'docx' | 'html' | 'md'
  }
  /** Print a spreadsheet to PDF, all sheets */
  'files/excel-to-pdf': {
    /** how a CSV file is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Unpack a ZIP safely into one flat ZIP or one file */
  'files/extract-zip': Record<string, never>
  /** Print an HTML file to PDF, no network */
  'files/html-to-pdf': {
    /** how the page is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Convert JSON to XML and XML to JSON */
  'files/json-xml': {
    /** with line breaks and indents */
    pretty?: boolean
    /** how the file is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Convert Markdown to a Word document */
  'files/markdown-to-docx': {
    /** how the text is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Convert Markdown to a standalone HTML page */
  'files/markdown-to-html': {
    /** how the text is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Convert Markdown to a styled PDF */
  'files/markdown-to-pdf': {
    /** how the text is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Concatenate CSV files that have the same columns */
  'files/merge-csvs': {
    /** how each table is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Print a presentation to PDF, one slide per page */
  'files/powerpoint-to-pdf': Record<string, never>
  /** Cut a CSV into parts of N rows, as a ZIP */
  'files/split-csv': {
    /** data rows of a part; the last takes what is left */
    rowsPerFile?: number | `${number}${string}`
    /** the first row is repeated in every part; otherwise it is in none */
    keepHeader?: boolean
    /** how the table is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Convert DOCX, Markdown, HTML or text to EPUB */
  'files/to-epub': {
    /** how plain text, Markdown or HTML is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Print a text document to PDF */
  'files/word-to-pdf': {
    /** how plain text is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Turn repeating XML elements into CSV rows */
  'files/xml-to-csv': {
    /** how the file is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Convert YAML to JSON and JSON to YAML */
  'files/yaml-json': {
    /** how the file is encoded; auto takes Unicode where it is, else guesses and warns where it is unsure */
    encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'iso-8859-15' | 'windows-1250' | 'iso-8859-2' | 'windows-1251' | 'koi8-r' | 'koi8-u' | 'ibm866' | 'iso-8859-5' | 'windows-1253' | 'iso-8859-7' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-1258' | 'windows-874' | 'shift_jis' | 'euc-jp' | 'iso-2022-jp' | 'gb18030' | 'big5' | 'euc-kr' | 'macintosh' | 'x-mac-cyrillic' | 'cp1252' | 'cp1250' | 'cp1251' | 'cp1253' | 'cp1254' | 'cp1255' | 'cp1256' | 'cp1257' | 'cp1258' | 'cp874' | 'utf8' | 'utf-16' | 'utf16' | 'ascii' | 'latin1' | 'latin-1' | 'iso-8859-1' | 'latin2' | 'latin-2' | 'iso-8859-9' | 'latin5' | 'iso-8859-8' | 'cp866' | 'shift-jis' | 'sjis' | 'cp932' | 'windows-31j' | 'gbk' | 'gb2312' | 'cp936' | 'cp949' | 'cp950' | 'macroman'
  }
  /** Convert XLSX to CSV */
  'files/excel-to-csv': Record<string, never>
}
