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

/** A device brighter than this (0 to 255) counts as light. */
const MIDDLE = 128

const isLight = (color: string): boolean => Number.parseInt(color.slice(3, 5), 16) > MIDDLE

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

/** The notch in the screen, with loudspeaker and camera. */
function notchShapes(screen: Box, { width, height }: { width: number; height: number }, color: string): string {
  const middle = screen.x + screen.width / 2
  const [left, right, bottom] = [middle - width / 2, middle + width / 2, screen.y + height]
  const round = height * 0.7
  // Starts above the screen, to avoid a visible line between the notch and the bezel.
  const top = screen.y - screen.width * 0.01
  const shape = `M${left} ${top}H${right}V${bottom - round}A${round} ${round} 0 0 1 ${right - round} ${bottom}H${left + round}A${round} ${round} 0 0 1 ${left} ${bottom - round}Z`
  const speaker = { width: width * 0.3, height: height * 0.16 }
  const slit = {
    x: middle - speaker.width / 2,
    y: screen.y + height * 0.36,
    ...speaker,
  }
  const ink = isLight(color) ? 'fill="#000000" fill-opacity="0.45"' : 'fill="#ffffff" fill-opacity="0.28"'
  const lens = `<circle cx="${middle + width * 0.27}" cy="${screen.y + height * 0.44}" r="${height * 0.16}" ${ink}/>`
  return `<path d="${shape}" fill="${color}"/>${rounded(slit, speaker.height / 2, ink)}${lens}`
}

/**
 * A device around a screen of this size (px). All lengths are fractions of the screen's width. A phone with a wide
 * screen is in landscape orientation, with the notch on the left.
 */
export function deviceDrawing(frame: DeviceFrame, screen: Size): DeviceDrawing {
  const isLandscape = frame.notch !== undefined && screen.width > screen.height
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
  const { color } = frame
  const rim = Math.max(1, unit * 0.003)
  const light = isLight(color)
  const edge = light ? 'stroke="#000000" stroke-opacity="0.28"' : 'stroke="#ffffff" stroke-opacity="0.22"'
  const screenRadius = frame.innerRadius * unit
  const inner = { x: lid.x + rim / 2, y: lid.y + rim / 2, width: lid.width - rim, height: lid.height - rim }
  // The black area behind the screen is slightly larger than it.
  const bed = { x: shown.x - rim, y: shown.y - rim, width: shown.width + 2 * rim, height: shown.height + 2 * rim }
  const camera = `<circle cx="${size.width / 2}" cy="${bezel / 2}" r="${Math.max(1, bezel * 0.12)}" fill="${light ? '#000000' : '#ffffff'}" fill-opacity="${light ? 0.45 : 0.28}"/>`
  const base = { x: 0, y: lid.height, width: size.width, height: baseHeight }
  const body = [
    rounded(lid, frame.outerRadius * unit, `fill="${color}"`),
    rounded(inner, frame.outerRadius * unit - rim / 2, `fill="none" ${edge} stroke-width="${rim}"`),
    rounded(bed, screenRadius + rim, 'fill="#000000"'),
    frame.notch ? '' : camera,
    frame.base ? baseShapes(base, color) : '',
  ]
  const notch = frame.notch && { width: frame.notch.width * unit, height: frame.notch.height * unit }
  return {
    edges,
    screenRadius,
    body: svgOf(size, body.join('')),
    front: notch && svgOf(size, notchShapes(shown, notch, color)),
  }
}
