import { UnsupportedError } from "../../index.js";

/** The description of a film. */
export interface Film {
  /** The number of frames. */
  readonly length: number;
  /** Frames per second. */
  readonly speed: number;
  /** Draws a frame. The first one determines the size. */
  picture(i: number, signal: AbortSignal): Promise<HTMLCanvasElement>;
  /** Reports the number of finished frames. */
  done?(pictures: number): void;
}

/** Recording formats of browsers, in order of preference. */
const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

/** Reports whether this browser records films. */
export const makesFilms = (): boolean =>
  typeof MediaRecorder !== "undefined" && types.some((type) => MediaRecorder.isTypeSupported(type));

/** Records a film as WebM, in real time. The recording pauses while a frame is prepared. */
export async function filmOf({ length, speed, picture, done }: Film, signal: AbortSignal): Promise<Blob> {
  const type = makesFilms() ? types.find((type) => MediaRecorder.isTypeSupported(type)) : undefined;
  if (!type) throw new UnsupportedError("this browser records no WebM", { feature: "films" });
  const first = await picture(0, signal);
  const canvas = document.createElement("canvas");
  // Codecs need even sizes.
  canvas.width = first.width + (first.width % 2);
  canvas.height = first.height + (first.height % 2);
  const context = canvas.getContext("2d");
  if (!context) throw new DOMException("The figure is too large.", "EncodingError");
  const stream = canvas.captureStream(0);
  const [track] = stream.getVideoTracks() as CanvasCaptureMediaStreamTrack[];
  const bits = Math.min(40e6, Math.max(2e6, canvas.width * canvas.height * speed * 0.2));
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: bits });
  const chunks: Blob[] = [];
  recorder.addEventListener("dataavailable", ({ data }) => chunks.push(data));
  const ended = new Promise<void>((resolve, reject) => {
    recorder.addEventListener("stop", () => resolve());
    recorder.addEventListener("error", (event) => reject((event as ErrorEvent).error));
  });
  // The video element reports when a frame has passed through the stream. A recorder that pauses
  // earlier misses the frame.
  const monitor = document.createElement("video");
  monitor.muted = true;
  monitor.srcObject = stream;
  const come = () =>
    new Promise<void>((resolve) => {
      monitor.requestVideoFrameCallback?.(() => resolve());
      // A hidden page presents no frames.
      setTimeout(resolve, 500);
    });
  // Awaited below; until then this prevents an unhandled rejection.
  ended.catch(() => {});
  try {
    for (let i = 0; i < length; i++) {
      const next = i === 0 ? first : await picture(i, signal);
      signal.throwIfAborted();
      if (i === 0) {
        recorder.start();
        void monitor.play().catch(() => {});
      } else recorder.resume();
      const there = come();
      context.drawImage(next, 0, 0);
      track?.requestFrame();
      await there;
      await new Promise((resolve) => setTimeout(resolve, 1000 / speed));
      if (i < length - 1) recorder.pause();
      done?.(i + 1);
    }
    signal.throwIfAborted();
  } finally {
    if (recorder.state !== "inactive") recorder.stop();
    track?.stop();
    monitor.srcObject = null;
  }
  await ended;
  return new Blob(chunks, { type: "video/webm" });
}
