// SPDX-License-Identifier: Apache-2.0
// The width of an element on the screen, so that text in a chart keeps its size.
import {useLayoutEffect, useRef, useState} from 'preact/hooks';

export function useWidth(first: number) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const measure = () => setWidth(Math.max(box.current?.clientWidth ?? first, 240));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return {box, width};
}
