// Follows new events: adds them to the list as text, and writes times in the reader's form. All else works without a script.
"use strict";

const button = document.getElementById("live");
const list = document.getElementById("events");
const state = document.getElementById("live-state");
const rowsMax = 200;
let source = null;
let last = "";

// Times in the reader's own form, still in UTC; without a script they are as in ISO 8601.
const timeForm = new Intl.DateTimeFormat(navigator.languages, { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });

function localize(time) {
    time.title = time.dateTime;
    time.textContent = timeForm.format(new Date(time.dateTime));
}

document.querySelectorAll("time").forEach(localize);

function element(name, parent, text) {
    const made = document.createElement(name);
    if (text !== undefined)
        made.textContent = text;
    if (parent)
        parent.append(made);
    return made;
}

function link(parent, href, text) {
    const made = element("a", parent);
    made.href = href;
    element("bdi", made, text);
    return made;
}

function row(event) {
    const made = element("li");
    made.className = "new";
    const head = element("a", made);
    head.className = "event";
    head.href = "events/" + event.position;
    element("span", head, event.position).className = "position";
    head.append(" ");
    element("bdi", head, event.type);
    const time = element("time", made);
    time.dateTime = event.time;
    localize(time);
    const tags = element("ul", made);
    tags.className = "tags";
    for (const tag of event.tags) {
        if (tag.href)
            link(element("li", tags), tag.href, tag.text);
        else
            element("li", tags, tag.text);
    }
    const excerpt = element("code", made, event.excerpt);
    excerpt.className = "excerpt";
    excerpt.dir = "ltr";
    return made;
}

function add(message) {
    last = message.lastEventId;
    const { more, events } = JSON.parse(message.data);
    list.prepend(...events.map(row));
    while (list.children.length > rowsMax)
        list.lastElementChild.remove();
    const count = events.length === 1 ? "1 new event" : events.length + " new events";
    state.textContent = more ? "The newest " + count + "; there were more." : count + ".";
}

function follow() {
    const address = new URL(button.dataset.source, location.href);
    if (last)
        address.searchParams.set("after", last);
    source = new EventSource(address);
    source.addEventListener("open", () => state.textContent = "Connected.");
    source.addEventListener("message", add);
    source.addEventListener("error", () => state.textContent = source.readyState === EventSource.CLOSED
        ? "The connection was refused. Load the page again."
        : "The connection is lost; it is tried again.");
    button.setAttribute("aria-pressed", "true");
}

function stop() {
    source.close();
    source = null;
    state.textContent = "Stopped. Load the page again to see what has been appended since.";
    button.setAttribute("aria-pressed", "false");
}

if (button) {
    button.hidden = false;
    button.addEventListener("click", () => source ? stop() : follow());
}
