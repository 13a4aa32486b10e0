using System.CommandLine;
using Opossum.Benchmarks;
using Opossum.Benchmarks.Projections;

var folder = new Option<DirectoryInfo>("--dir") { Description = "Where to measure: a folder on the disk in question. Default: the folder for temporary files.", DefaultValueFactory = _ => new DirectoryInfo(Path.GetTempPath()) };
var isShort = new Option<bool>("--short") { Description = "A run of seconds that shows that everything works; its figures mean little." };

var figures = new Command("figures", "Measures the figures that Opossum promises, against a raw loop that creates, writes and flushes one file an event, in one run.") { folder, isShort };
figures.SetAction((parse, cancellationToken) => new Figures(parse.GetValue(folder)!.FullName, parse.GetValue(isShort)).RunAsync(cancellationToken));

var projections = new Command("projections", "Measures what projections cost: following events, building states, several at once, and memory.") { folder, isShort };
projections.SetAction((parse, _) => new ProjectionFigures(parse.GetValue(folder)!.FullName, parse.GetValue(isShort)).RunAsync());

// What `figures` runs under strace to count system calls; of no use by hand.
var path = new Argument<string>("path");
var count = new Argument<int>("count");
var lone = new Command("append-lone", "Appends so many events one by one.") { path, count };
lone.Hidden = true;
lone.SetAction((parse, _) => Workload.AppendLoneAsync(parse.GetValue(path)!, parse.GetValue(count)));

return await new RootCommand("Opossum's benchmarks.") { figures, projections, lone }.Parse(args).InvokeAsync();
