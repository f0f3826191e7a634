import { applyPalette, GIFEncoder, quantize } from 'gifenc';
import { PNG } from 'pngjs';

/** A frame of a moving picture, and for how long it is shown, in milliseconds. */
export interface Frame {
	png: Buffer;
	delay: number;
}

/** An endless GIF of frames that are equally large. */
export function movingPicture(frames: readonly Frame[]): Buffer {
	const gif = GIFEncoder();
	for (const { png, delay } of frames) {
		const { data, width, height } = PNG.sync.read(png);
		const palette = quantize(data, 256);
		gif.writeFrame(applyPalette(data, palette), width, height, { palette, delay });
	}
	gif.finish();
	return Buffer.from(gif.bytes());
}
