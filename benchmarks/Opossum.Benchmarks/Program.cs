using System.CommandLine;
using Opossum.Benchmarks;

var folder = new Option<DirectoryInfo>("--dir") { Description = "Where to measure: a folder on the disk in question. Default: the folder for temporary files.", DefaultValueFactory = _ => new DirectoryInfo(Path.GetTempPath()) };
var isShort = new Option<bool>("--short") { Description = "A run of seconds that shows that everything works; its figures mean little." };

var figures = new Command("figures", "Measures the figures that Opossum promises, against a raw loop that creates, writes and flushes one file an event, in one run.") { folder, isShort };
figures.SetAction((parse, cancellationToken) => new Figures(parse.GetValue(folder)!.FullName, parse.GetValue(isShort)).RunAsync(cancellationToken));

// What `figures` runs under strace to count system calls; of no use by hand.
var path = new Argument<string>("path");
var count = new Argument<int>("count");
var lone = new Command("append-lone", "Appends so many events one by one.") { path, count };
lone.Hidden = true;
lone.SetAction((parse, _) => Workload.AppendLoneAsync(parse.GetValue(path)!, parse.GetValue(count)));

// The other process of `figures` that measures how soon subscribers have its events; of no use by hand.
var timed = new Command("append-timed", "Appends so many events now and then, and says when each append returned.") { path, count };
timed.Hidden = true;
timed.SetAction((parse, _) => SubscriptionLatency.AppendTimedAsync(parse.GetValue(path)!, parse.GetValue(count)));

return await new RootCommand("Opossum's benchmarks.") { figures, lone, timed }.Parse(args).InvokeAsync();
