type Triple = readonly [number, number, number]

/**
 * Simulates colour vision deficiencies: rows for red, green and blue, on linear light of sRGB. The first six: G. M.
 * Machado, M. M. Oliveira, L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision
 * Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (6), 2009, tables of severity 1.0 (-opia)
 * and 0.6 (-omaly). Achromatopsia: the luminance of ITU-R BT.709. Blue cone monochromacy: a plain weighting of the
 * short-wave cones (catalogue).
 */
export const COLOUR_VISION = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
  protanomaly: [
    [0.38545, 0.769005, -0.154455],
    [0.100526, 0.829802, 0.069673],
    [-0.007442, -0.02219, 1.029632],
  ],
  deuteranomaly: [
    [0.547494, 0.607765, -0.155259],
    [0.181692, 0.781742, 0.036566],
    [-0.01041, 0.027275, 0.983136],
  ],
  tritanomaly: [
    [1.104996, -0.046633, -0.058363],
    [-0.032137, 0.971635, 0.060503],
    [0.001336, 0.317922, 0.680742],
  ],
  achromatopsia: [
    [0.212656, 0.715158, 0.072186],
    [0.212656, 0.715158, 0.072186],
    [0.212656, 0.715158, 0.072186],
  ],
  blueConeMonochromacy: [
    [0.01775, 0.10945, 0.87262],
    [0.01775, 0.10945, 0.87262],
    [0.01775, 0.10945, 0.87262],
  ],
} as const satisfies Record<string, readonly [Triple, Triple, Triple]>

export type ColourVision = keyof typeof COLOUR_VISION

export const COLOUR_VISIONS = Object.keys(COLOUR_VISION) as ColourVision[]
