import type { Size } from '../../../../src/media/image/frame.ts'
import type { Edges } from '../../_shared/layout/edges.ts'
import type { DeviceFrame } from './screenshot-frames.ts'

export interface DeviceDrawing {
  /** The border that the device adds around the screen, px. */
  edges: Edges
  /** Corner radius of the screen, px. */
  screenRadius: number
  /** The drawing under the screen: paths only. */
  body: string
  /** The drawing over it, if any. */
  front: string | undefined
}

/** The glass around a screen; also the colour of the camera's island. */
const GLASS = '#08080a'

/** The metal band's part of the bezel; the rest is glass. */
const BAND = 0.3

const svgOf = ({ width, height }: Size, shapes: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`

interface Box extends Size {
  x: number
  y: number
}

const rounded = ({ x, y, width, height }: Box, radius: number, paint: string): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${Math.min(radius, width / 2, height / 2)}" ${paint}/>`

/** The keyboard half of a laptop below its lid: a flat slab with a groove for opening. */
function baseShapes({ x, y, width, height }: Box, color: string): string {
  const round = height * 0.6
  const groove = { width: width * 0.14, height: height * 0.32 }
  const left = x + (width - groove.width) / 2
  const shade = `<linearGradient id="slab" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#ffffff" stop-opacity="0.25"/><stop offset="0.35" stop-color="#000000" stop-opacity="0.05"/><stop offset="1" stop-color="#000000" stop-opacity="0.35"/></linearGradient>`
  const slab = `M${x} ${y}H${x + width}V${y + height - round}A${round} ${round} 0 0 1 ${x + width - round} ${y + height}H${x + round}A${round} ${round} 0 0 1 ${x} ${y + height - round}Z`
  const corner = groove.height * 0.8
  const cut = `M${left} ${y}H${left + groove.width}V${y + groove.height - corner}A${corner} ${corner} 0 0 1 ${left + groove.width - corner} ${y + groove.height}H${left + corner}A${corner} ${corner} 0 0 1 ${left} ${y + groove.height - corner}Z`
  return `<defs>${shade}</defs><path d="${slab}" fill="${color}"/><path d="${slab}" fill="url(#slab)"/><path d="${cut}" fill="#000000" fill-opacity="0.3"/>`
}

/** The island of the cameras in the screen. */
function islandShapes(screen: Box, { width, height, top }: NonNullable<DeviceFrame['island']>): string {
  const unit = screen.width
  const island = {
    x: screen.x + (unit - width * unit) / 2,
    y: screen.y + top * unit,
    width: width * unit,
    height: height * unit,
  }
  const lens = { x: island.x + island.width - island.height / 2, y: island.y + island.height / 2 }
  const radius = island.height * 0.23
  const glint = `<circle cx="${lens.x - radius * 0.3}" cy="${lens.y - radius * 0.3}" r="${radius * 0.3}" fill="#4a5a86"/>`
  return `${rounded(island, island.height / 2, `fill="${GLASS}"`)}<circle cx="${lens.x}" cy="${lens.y}" r="${radius}" fill="#14161f"/>${glint}`
}

/** The light on a metal band: bright edges at the sides, darker between them. */
const METAL = `<linearGradient id="metal" x1="0" y1="0" x2="1" y2="0">${[
  [0, '#ffffff', 0.3],
  [0.03, '#000000', 0.12],
  [0.5, '#ffffff', 0.12],
  [0.97, '#000000', 0.12],
  [1, '#ffffff', 0.3],
]
  .map(([offset, color, opacity]) => `<stop offset="${offset}" stop-color="${color}" stop-opacity="${opacity}"/>`)
  .join('')}</linearGradient>`

/**
 * A device around a screen of this size (px). All lengths are fractions of the screen's width. A phone with a wide
 * screen is in landscape orientation, with the island on the left.
 */
export function deviceDrawing(frame: DeviceFrame, screen: Size): DeviceDrawing {
  const isLandscape = frame.island !== undefined && screen.width > screen.height
  if (!isLandscape) return standing(frame, screen)
  const { edges, screenRadius, body, front } = standing(frame, { width: screen.height, height: screen.width })
  const upright = { width: screen.height + edges.left + edges.right, height: screen.width + edges.top + edges.bottom }
  const turned = (drawing: string): string => {
    const size = { width: upright.height, height: upright.width }
    return svgOf(size, `<g transform="translate(0 ${upright.width}) rotate(-90)">${drawing}</g>`)
  }
  return {
    edges: { left: edges.top, top: edges.right, right: edges.bottom, bottom: edges.left },
    screenRadius,
    body: turned(body),
    front: front && turned(front),
  }
}

function standing(frame: DeviceFrame, screen: Size): DeviceDrawing {
  const unit = screen.width
  const bezel = Math.max(1, Math.round(frame.bezel * unit))
  const overhang = Math.round((frame.base?.overhang ?? 0) * unit)
  const baseHeight = Math.round((frame.base?.height ?? 0) * unit)
  const edges = { left: bezel + overhang, top: bezel, right: bezel + overhang, bottom: bezel + baseHeight }
  const size = { width: unit + edges.left + edges.right, height: screen.height + edges.top + edges.bottom }
  const lid = { x: overhang, y: 0, width: unit + 2 * bezel, height: screen.height + 2 * bezel }
  const shown = { x: edges.left, y: edges.top, ...screen }
  const band = Math.max(0.5, bezel * BAND)
  const outerRadius = frame.outerRadius * unit
  const screenRadius = frame.innerRadius * unit
  const rim = Math.max(0.5, band * 0.22)
  const edge = { x: lid.x + rim / 2, y: lid.y + rim / 2, width: lid.width - rim, height: lid.height - rim }
  const glass = { x: lid.x + band, y: lid.y + band, width: lid.width - 2 * band, height: lid.height - 2 * band }
  const camera = { x: size.width / 2, y: band + (bezel - band) / 2, radius: Math.max(0.5, (bezel - band) * 0.13) }
  const base = { x: 0, y: lid.height, width: size.width, height: baseHeight }
  const body = [
    `<defs>${METAL}</defs>`,
    rounded(lid, outerRadius, `fill="${frame.color}"`),
    rounded(lid, outerRadius, 'fill="url(#metal)"'),
    rounded(edge, outerRadius - rim / 2, `fill="none" stroke="#ffffff" stroke-opacity="0.25" stroke-width="${rim}"`),
    rounded(glass, Math.max(screenRadius, outerRadius - band), `fill="${GLASS}"`),
    frame.island ? '' : `<circle cx="${camera.x}" cy="${camera.y}" r="${camera.radius}" fill="#2b3350"/>`,
    frame.base ? baseShapes(base, frame.color) : '',
  ]
  return {
    edges,
    screenRadius,
    body: svgOf(size, body.join('')),
    front: frame.island && svgOf(size, islandShapes(shown, frame.island)),
  }
}
