"use client";
import { useEffect } from "react";
import { run } from "../app.js";

export function Reader() {
  useEffect(() => {
    run();
  }, []);
  return null;
}
