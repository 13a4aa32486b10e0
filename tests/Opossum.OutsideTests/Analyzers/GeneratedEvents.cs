using System.Collections.Immutable;
using System.Text.Json.Serialization;

namespace Opossum.AnalyzerTests;

/// <summary>Events of many forms, which the generator of this project's build registers.</summary>
internal static class GeneratedEvents
{
    public enum Level
    {
        Low,
        High,
    }

    [EventType("gen-plain")]
    public sealed record Plain([property: Tag("course")] string CourseId, int Seats, decimal Price, Guid Id, DateTimeOffset When, bool IsOpen,
        byte[] Bytes);

    [EventType("gen-optional")]
    public sealed record Optional(string? Title, int? Seats, Level Level = Level.High, string Text = "a \"text\"", double Share = 0.5, int? Left = 3);

    [EventType("gen-lists")]
    public sealed record Lists(string[] Names, List<int> Numbers, IReadOnlyList<Part> Parts, ImmutableArray<Level> Levels, HashSet<string> Words,
        Dictionary<string, Part> ByName, IReadOnlyDictionary<Level, int> ByLevel);

    public sealed record Part(string Name, Size Size, Part? Inner = null);

    public readonly record struct Size(int Width, int Height);

    [EventType("gen-properties")]
    public sealed class Properties
    {
        public string Name { get; init; } = "unnamed";

        public int Count { get; set; }

        [JsonPropertyName("the-note")]
        public string? Note { get; init; }

        [JsonIgnore]
        public string Shown => $"{Name}: {Count}";

        public required Level Level { get; init; }

        public int @class { get; set; }
    }

    [EventType("gen-struct")]
    public readonly record struct Point([property: Tag("axis")] string Axis, long X, Uri? Source);

    [EventType("gen-seating")]
    public record struct Seating(string CourseId, int Seats = 20, Level Level = Level.High, Level? Least = Level.High, string Room = "A1",
        DateTime When = default);

    [EventType("gen-empty")]
    public sealed record Empty;

    [EventType("gen-personal")]
    public sealed record Personal([property: Tag("customer")] string CustomerId, [property: Personal("customer")] string? Name);

    // These have forms that are not generated.
    [EventType("gen-base")]
    public sealed record WithBase(string Name, int Age) : Named(Name);

    public record Named(string Name);

    [EventType("gen-initial")]
    public record struct WithInitial(string Name)
    {
        public int Count { get; set; } = 1;
    }

    [EventType("gen-converter")]
    public sealed record WithConverter([property: JsonConverter(typeof(JsonStringEnumConverter<Level>))] Level Level);

    [EventType("gen-derived")]
    public sealed record WithDerivedConverter([property: AsNumber] Level Level);

    [AttributeUsage(AttributeTargets.Property)]
    public sealed class AsNumberAttribute() : JsonConverterAttribute(typeof(JsonNumberEnumConverter<Level>));

    [EventType("gen-object")]
    public sealed record WithField(string Name)
    {
        public int Count = 1;
    }
}
