import { lineText } from '../../src/render/spans.ts';
import { composeFrame, type Frame, type FrameContext } from '../../src/ui/frame.ts';
import type { ScreenModel } from '../../src/ui/model.ts';

/** The lines of a frame as plain text, top to bottom. */
export function frameLines(frame: Frame): string[] {
  const { header, room, rule, body, detail, footer } = frame;
  return [...header, ...room, ...rule, ...body, ...detail, ...footer].map(lineText);
}

/** What a person sees of `model` now. */
export function screenOf(
  model: ScreenModel,
  context: Partial<FrameContext> & Pick<FrameContext, 'columns' | 'rows' | 'now'>,
): string[] {
  return frameLines(
    composeFrame(model, { title: 'prod-eu', since: undefined, probing: true, view: undefined, lab: [], ...context }),
  );
}
