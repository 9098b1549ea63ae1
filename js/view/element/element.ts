// Where there are no elements, as on a server that renders, the class is there and makes none.
const Base = (typeof HTMLElement === "undefined" ? class {} : HTMLElement) as typeof HTMLElement;

/** The custom element `<zarr-view>`. */
export class ZarrView extends Base {}
