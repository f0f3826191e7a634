import type { Locator, Page } from 'playwright-core';

/** A part of a page, in its pixels. */
export type Area = Record<'x' | 'y' | 'width' | 'height', number>;

const MARGIN = 24;

/** Where a workflow with its links and notes is on the page, with a margin. */
export async function workflowArea(page: Page): Promise<Area> {
	const [nodes, others] = await Promise.all([
		areasOf(page.getByTestId('canvas-node')),
		areasOf(page.locator('.vue-flow__edge, [data-test-id="sticky"], .canvas-handle-plus svg')),
	]);
	const areas = [...nodes.map(withLabel), ...others];
	const left = Math.min(...areas.map(({ x }) => x)) - MARGIN;
	const top = Math.min(...areas.map(({ y }) => y)) - MARGIN;
	const right = Math.max(...areas.map(({ x, width }) => x + width)) + MARGIN;
	const bottom = Math.max(...areas.map(({ y, height }) => y + height)) + MARGIN;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

async function areasOf(locator: Locator): Promise<Area[]> {
	const all = await locator.all();
	const areas = await Promise.all(all.map(async (one) => await one.boundingBox()));
	return areas.filter((area) => area !== null);
}

/** A node with its name, which stands below it in up to two lines and may be wider. */
function withLabel({ x, y, width, height }: Area): Area {
	return { x: x - 32, y, width: width + 64, height: height + 56 };
}
