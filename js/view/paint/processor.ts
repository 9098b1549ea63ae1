let known: boolean | undefined;

/**
 * Whether a graphics processor draws WebGL2. Where that is a program itself, as on machines without one, it takes several times as long as to
 * set the pixels here. Asking makes a context, once in a page.
 */
export function hasProcessor(): boolean {
  known ??= look();
  return known;
}

function look(): boolean {
  const canvas = document.createElement("canvas");
  // Some browsers say themselves that it would be slow.
  const gl = canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|software|basic render/i.test(name);
}
