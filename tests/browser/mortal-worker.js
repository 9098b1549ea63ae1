// The package's worker, and its helpers, which end without an event when they are told to. With "?nolocks" there are no locks, as on pages that
// are not secure.
import "./mortal.js";
import "../../dist/worker.js";
