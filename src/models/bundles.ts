/** A named set of model files. Which tools need it, their declarations say. */
export interface Bundle {
  id: string
  name: string
  description: string
  /** For people. */
  estimatedSize: string
}

/** The bundles of the interface (its table under Admin endpoints). */
export const BUNDLES: readonly Bundle[] = [
  {
    id: 'background-removal',
    name: 'Background removal',
    description: 'matting models',
    estimatedSize: '4-5 GB',
  },
  {
    id: 'face-detection',
    name: 'Face detection',
    description: 'face detection and landmarks',
    estimatedSize: '200-300 MB',
  },
  {
    id: 'object-eraser-colorize',
    name: 'Object eraser and colorization',
    description: 'inpainting, outpainting, colorization',
    estimatedSize: '1-2 GB',
  },
  {
    id: 'upscale-enhance',
    name: 'Upscaling and enhancement',
    description: 'upscaling, face enhancement, denoising',
    estimatedSize: '5-6 GB',
  },
  {
    id: 'photo-restoration',
    name: 'Photo restoration',
    description: 'scratch repair and restoration',
    estimatedSize: '4-5 GB',
  },
  {
    id: 'ocr',
    name: 'Text recognition',
    description: 'OCR stack',
    estimatedSize: '5-6 GB',
  },
  {
    id: 'transcription',
    name: 'Transcription',
    description: 'speech-to-text models',
    estimatedSize: 'about 600 MB',
  },
]
