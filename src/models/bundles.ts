/** A named set of model files that some tools need. The files themselves come with the tools. */
export interface Bundle {
  id: string
  name: string
  description: string
  /** For people. */
  estimatedSize: string
  /** Ids of the tools that need it. */
  tools: readonly string[]
}

/** The bundles of the interface (its table under Admin endpoints). */
export const BUNDLES: readonly Bundle[] = [
  {
    id: 'background-removal',
    name: 'Background removal',
    description: 'matting models',
    estimatedSize: '4-5 GB',
    tools: ['remove-background', 'passport-photo', 'transparency-fixer', 'background-replace', 'blur-background'],
  },
  {
    id: 'face-detection',
    name: 'Face detection',
    description: 'face detection and landmarks',
    estimatedSize: '200-300 MB',
    tools: ['blur-faces', 'red-eye-removal', 'smart-crop', 'passport-photo', 'enhance-faces'],
  },
  {
    id: 'object-eraser-colorize',
    name: 'Object eraser and colorization',
    description: 'inpainting, outpainting, colorization',
    estimatedSize: '1-2 GB',
    tools: ['erase-object', 'colorize', 'ai-canvas-expand'],
  },
  {
    id: 'upscale-enhance',
    name: 'Upscaling and enhancement',
    description: 'upscaling, face enhancement, denoising',
    estimatedSize: '5-6 GB',
    tools: ['upscale', 'enhance-faces', 'noise-removal'],
  },
  {
    id: 'photo-restoration',
    name: 'Photo restoration',
    description: 'scratch repair and restoration',
    estimatedSize: '4-5 GB',
    tools: ['restore-photo'],
  },
  {
    id: 'ocr',
    name: 'Text recognition',
    description: 'OCR stack',
    estimatedSize: '5-6 GB',
    tools: ['ocr', 'ocr-pdf'],
  },
  {
    id: 'transcription',
    name: 'Transcription',
    description: 'speech-to-text models',
    estimatedSize: 'about 600 MB',
    tools: ['transcribe-audio', 'auto-subtitles'],
  },
]
